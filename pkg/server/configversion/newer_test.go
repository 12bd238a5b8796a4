package configversion

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
)

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

func TestOtherErrorsStay(t *testing.T) {
	assert.NoError(t, Explain(nil))
	for _, text := range []string{"no such file", `unknown field "issuer.nothing"`, `unknown field "myissuer.egressSelectorType"`} {
		err := errors.New(text)
		assert.Equal(t, err, Explain(err))
	}
}
