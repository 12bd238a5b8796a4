package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// TestExpiryCoversEveryCertificateThatTheServerPresents: one alert is for all.
func TestExpiryCoversEveryCertificateThatTheServerPresents(t *testing.T) {
	config := NewConfig()
	config.SecureServing.SNICertKeys = []cliflag.NamedCertKey{{CertFile: "file"}}
	config.Etcd.StorageConfig.Transport.CertFile = "file"
	config.Identity.Kubeconfig = "file"
	config.Identity.Authentication.RemoteKubeConfigFile = "file"
	config.Identity.Authorization.RemoteKubeConfigFile = "file"
	config.Identity.Local.AuthorizationWebhookFile = "file"
	config.Audit.WebhookOptions.ConfigFile = "file"
	certificate, key, err := newLoopbackCertificate()
	require.NoError(t, err)
	served, err := dynamiccertificates.NewStaticCertKeyContent("test", certificate, key)
	require.NoError(t, err)
	serving := serving{SecureServingInfo: &genericapiserver.SecureServingInfo{Cert: served}}
	var names []string
	for _, source := range certificateSources(config.Complete(), dataDirectory{certificates: &embedded.Certificates{}}, serving) {
		names = append(names, source.Name)
	}
	require.ElementsMatch(t, []string{
		"serving", "serving-sni", "ca", "admin", "etcd-client", "kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig",
		"authorization-webhook", "audit-webhook",
	}, names)
}
