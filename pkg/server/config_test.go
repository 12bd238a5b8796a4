package server

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

func TestStreamsAndExemptRequestsAreBoundedByDefault(t *testing.T) {
	require.Equal(t, 100, NewConfig().SecureServing.HTTP2MaxStreamsPerConnection, "as kube-apiserver")
	require.Positive(t, NewConfig().MaxExemptRequestsInFlight)
}

func TestListCostIsLearnedByDefault(t *testing.T) {
	require.Equal(t, estimate.CostLearned, NewConfig().ListCost)
}

func TestOwnRequestsAndProbesBypassTheLimitOfExemptRequests(t *testing.T) {
	self, admin := &user.DefaultInfo{Name: user.APIServerUser}, &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}
	objects := &apirequest.RequestInfo{IsResourceRequest: true, Path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"}
	require.True(t, bypassesExemptLimit(objects, self))
	require.False(t, bypassesExemptLimit(objects, admin))
	require.False(t, bypassesExemptLimit(&apirequest.RequestInfo{IsResourceRequest: true, Path: "/livez"}, admin))
	for path, want := range map[string]bool{"/livez": true, "/readyz/etcd": true, "/healthz": true, "/livezz": false, "/metrics": false} {
		require.Equal(t, want, bypassesExemptLimit(&apirequest.RequestInfo{Path: path}, admin), path)
	}
}

// A program may make another server of it.
func TestCompleteAndNewLeaveTheConfigAsItIs(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	config, expected := NewConfig(), NewConfig()
	config.DataDir = filepath.Join(t.TempDir(), "data")
	expected.DataDir = config.DataDir
	config.SecureServing.Listener, expected.SecureServing.Listener = listener, listener
	s, err := New(t.Context(), config.Complete())
	require.NoError(t, err)
	s.Close()
	for name, options := range map[string][2]any{
		"requests": {expected.Run.AdvertiseAddress, config.Run.AdvertiseAddress},
		"serving":  {expected.SecureServing, config.SecureServing},
		"identity": {expected.Identity.InClusterAllowed, config.Identity.InClusterAllowed},
		"plug-ins": {expected.Admission.DefaultOffPlugins, config.Admission.DefaultOffPlugins},
		"etcd":     {expected.Etcd, config.Etcd},
	} {
		require.Equal(t, options[0], options[1], name)
	}
}

func TestTheURLReachesTheServerFromThisMachine(t *testing.T) {
	for bound, want := range map[string]string{"0.0.0.0": "127.0.0.1", "127.0.0.1": "127.0.0.1", "127.0.0.2": "127.0.0.2"} {
		listener, err := net.Listen("tcp4", net.JoinHostPort(bound, "0"))
		require.NoError(t, err)
		config := NewConfig()
		config.SecureServing.Listener, config.Run.AdvertiseAddress = listener, net.IPv4(127, 0, 0, 1)
		s, err := bind(config.Complete(), dataDirectory{certificates: &embedded.Certificates{}})
		require.NoError(t, err)
		_, port, err := net.SplitHostPort(listener.Addr().String())
		require.NoError(t, err)
		require.Equal(t, "https://"+net.JoinHostPort(want, port), s.url)
		s.close(false)
	}
}

// The first certificate of a name is served, and an administrator's may have any name.
func TestTheCertificateOfTheOwnClientComesFirst(t *testing.T) {
	certificate, key, err := newLoopbackCertificate()
	require.NoError(t, err)
	other, err := dynamiccertificates.NewStaticSNICertKeyContent("other", certificate, key, genericapiserver.LoopbackClientServerNameOverride)
	require.NoError(t, err)
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	serving := &genericapiserver.SecureServingInfo{Listener: listener, SNICerts: []dynamiccertificates.SNICertKeyContentProvider{other}}
	_, err = addLoopback(serving)
	require.NoError(t, err)
	require.Len(t, serving.SNICerts, 2)
	require.Equal(t, other, serving.SNICerts[1])
}
