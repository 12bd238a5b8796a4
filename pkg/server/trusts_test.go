package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// The headers of the front proxy come from another informer than its CA bundle.
func TestFrontProxyIsNotTrustedBeforeItsHeadersAreKnown(t *testing.T) {
	certificate, _, err := newLoopbackCertificate()
	require.NoError(t, err)
	bundle, err := dynamiccertificates.NewStaticCAContent("test", certificate)
	require.NoError(t, err)
	var headers []string
	generic := &genericapiserver.Config{SecureServing: &genericapiserver.SecureServingInfo{ClientCA: bundle}}
	generic.Authentication.RequestHeaderConfig = &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: bundle, UsernameHeaders: headerrequest.StringSliceProviderFunc(func() []string { return headers }),
	}
	assert.False(t, trusts(generic, string(certificate)))
	headers = []string{"X-Remote-User"}
	assert.True(t, trusts(generic, string(certificate)))
}
