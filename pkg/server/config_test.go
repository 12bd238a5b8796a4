package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

func TestStreamsAndExemptRequestsAreBoundedByDefault(t *testing.T) {
	require.Equal(t, 100, NewConfig().SecureServing.HTTP2MaxStreamsPerConnection, "as kube-apiserver")
	require.Positive(t, NewConfig().MaxExemptRequestsInFlight)
}

func TestOwnRequestsAndProbesBypassTheLimitOfExemptRequests(t *testing.T) {
	self, admin := &user.DefaultInfo{Name: user.APIServerUser}, &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}
	objects := &apirequest.RequestInfo{IsResourceRequest: true, Path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"}
	require.True(t, bypassesExemptLimit(objects, self))
	require.False(t, bypassesExemptLimit(objects, admin))
	for path, want := range map[string]bool{"/livez": true, "/readyz/etcd": true, "/healthz": true, "/livezz": false, "/metrics": false} {
		require.Equal(t, want, bypassesExemptLimit(&apirequest.RequestInfo{Path: path}, admin), path)
	}
}

func TestServingCertificateOfTheUserIsUsed(t *testing.T) {
	require.False(t, NewConfig().Complete().hasServingCertificate())
	files := NewConfig()
	files.SecureServing.ServerCert.CertKey = genericoptions.CertKey{CertFile: "a", KeyFile: "b"}
	require.True(t, files.Complete().hasServingCertificate())
	directory := NewConfig()
	directory.SecureServing.ServerCert.CertDirectory = "d"
	require.True(t, directory.Complete().hasServingCertificate())
}
