//go:build long

package judges

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// floods are what unknown clients send.
func floods() map[string]traffic.Flow {
	return map[string]traffic.Flow{
		"anonymous, Impersonate-User of another user each time": impersonating(traffic.User{}),
		"anonymous, another path each time":                     paths(),
		"another token each time":                               strangers(tokened),
	}
}

const (
	// floodRequests bounds the requests of a flood, which come on 50 streams.
	floodRequests, floodStreams = 100_000, 50
	questions                   = 20
)

// TestFloodsOfUnknownClientsDoNotRejectUsers floods a server behind a kube-apiserver, which it asks about
// every user. Each question of the mouse is about another object, so that no earlier answer says whether
// it may read it. The object does not exist; only a user who may read learns this. Both servers close the
// connection of an unknown client after an answer: what else is on it is cut off.
func TestFloodsOfUnknownClientsDoNotRejectUsers(t *testing.T) {
	s := startBehind(t)
	ask := func(t *testing.T, object string) {
		t.Helper()
		status, _, _, err := s.target.Do(t.Context(), traffic.User{Token: mouse}, traffic.Request{Path: schemas + "/" + object})
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, status)
	}
	ask(t, "first") // from then on the mouse's token is known; unknown ones of an address are limited together
	for name, flow := range floods() {
		t.Run(name, func(t *testing.T) {
			answers := &Tally{}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			flow.Users, flow.Threads, flow.Count, flow.Rude = []traffic.User{{}}, floodStreams, floodRequests/floodStreams, true
			go func() {
				defer close(ended)
				_ = s.flood(ctx, flow, answers) // fails only without a server
			}()
			defer func() { stop(); <-ended }()
			eventually.Holds(t, "some of the flood is answered", func(a *eventually.Attempt) { require.NotEmpty(a, answers.Counts()) })
			for i := range questions {
				ask(t, fmt.Sprintf("question-%d-%d", len(name), i))
			}
			counts := answers.Counts()
			for _, expected := range []string{"401", "403", "429", cutOff} {
				delete(counts, expected)
			}
			require.Empty(t, counts)
		})
	}
}

// startBehind starts a kube-apiserver that knows the users, and this project's server behind it.
func startBehind(t *testing.T) *Server {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	k := startTheirs(t, etcd)
	serving := k.ClientCA.Server(t, "flowcontrol-apiserver")
	s := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{
		"--kubeconfig=" + k.Kubeconfig, "--etcd-prefix=/behind", "--tls-cert-file=" + serving.CertFile, "--tls-private-key-file=" + serving.KeyFile, "-v=0",
	}})
	config := &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{CAFile: k.ClientCA.CertFile}}
	target, err := traffic.TargetOf(config)
	require.NoError(t, err)
	t.Cleanup(target.Close)
	return &Server{Name: "this server", URL: s.URL, Process: s.Process, anonymous: config, target: target}
}
