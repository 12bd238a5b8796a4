//go:build !k8s0.34

// From 0.34 on, the library itself knows these versions and fields.

package configversion

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

func TestAFileOfANewerReleaseIsReadInTheVersionOfThisOne(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"YAML", "# a\napiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n",
			"# a\napiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n"},
		{"JSON in one line", `{"kind":"AuthenticationConfiguration","apiVersion":"apiserver.config.k8s.io/v1","jwt":[]}`,
			`{"kind":"AuthenticationConfiguration","apiVersion":"apiserver.config.k8s.io/v1beta1","jwt":[]}`},
		{"at the end, in quotes", "kind: TracingConfiguration\napiVersion: 'apiserver.config.k8s.io/v1'",
			"kind: TracingConfiguration\napiVersion: 'apiserver.config.k8s.io/v1beta1'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, string(Known([]byte(test.data)))) })
	}
}

func TestTheLibraryReadsTheCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tracing.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nsamplingRatePerMillion: 7\n"), 0o600))
	known, remove, err := KnownFile(path)
	require.NoError(t, err)
	read, err := genericoptions.ReadTracingConfiguration(known)
	require.NoError(t, err)
	assert.Equal(t, int32(7), *read.SamplingRatePerMillion)
	remove()
	assert.NoFileExists(t, known)
	assert.FileExists(t, path)
}

func TestAFieldOfALaterReleaseIsNamedWithIt(t *testing.T) {
	const file = `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: https://a, audiences: [a]}
  claimMappings: {username: {claim: sub, prefix: ""}}
- issuer: {url: https://b, audiences: [b], egressSelectorType: cluster}
  claimMappings: {username: {claim: sub, prefix: ""}}
  mistaken: true
`
	scheme := runtime.NewScheme()
	install.Install(scheme)
	_, err := runtime.Decode(serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(), Known([]byte(file)))
	assert.EqualError(t, Explain(err), `strict decoding error: unknown field "jwt[1].issuer.egressSelectorType", unknown field "jwt[1].mistaken"; `+
		"jwt[1].issuer.egressSelectorType is of Kubernetes 1.34 and later, and has no effect on this server: remove it")
}
