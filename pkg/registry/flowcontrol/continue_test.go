package flowcontrol

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/storage"
)

// FuzzContinueTokensStayBelowTheirPrefix checks that no continue token leads a list to keys
// of another resource.
func FuzzContinueTokensStayBelowTheirPrefix(f *testing.F) {
	const prefix = "/registry/flowcontrol.apiserver.k8s.io/flowschemas/"
	for _, token := range []string{
		`{"v":"meta.k8s.io/v1","rv":1,"start":"a\u0000"}`,
		`{"v":"meta.k8s.io/v1","rv":-1,"start":"../prioritylevelconfigurations/"}`,
		`{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"/.."}`,
		`{"v":"meta.k8s.io/v1","rv":1,"start":"./a//b"}`,
		`[`,
	} {
		f.Add([]byte(token))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		key, version, err := storage.DecodeContinue(base64.RawURLEncoding.EncodeToString(token), prefix)
		if err != nil {
			return
		}
		require.True(t, strings.HasPrefix(key, prefix), "%q", key)
		require.NotContains(t, strings.Split(strings.TrimPrefix(key, prefix), "/"), "..")
		require.NotZero(t, version)
	})
}
