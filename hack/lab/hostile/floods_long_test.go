//go:build long

package hostile

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// floods are what unknown clients send.
func floods() map[string]func(i int) message {
	return map[string]func(i int) message{
		"anonymous, Impersonate-User of another user each time": func(i int) message {
			return message{method: http.MethodGet, path: schemas, headers: map[string]string{"Impersonate-User": fmt.Sprintf("user-%d", i)}}
		},
		"anonymous, another path each time": func(i int) message { return message{method: http.MethodGet, path: fmt.Sprintf("/path-%d", i)} },
		"another token each time": func(i int) message {
			return message{method: http.MethodGet, path: schemas, token: fmt.Sprintf("token-%d", i)}
		},
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
	for name, messageOf := range floods() {
		t.Run(name, func(t *testing.T) {
			answers := &Tally{}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				client := s.client(false)
				defer client.CloseIdleConnections()
				inParallel(ctx, floodStreams, floodRequests, func(i int) {
					if status, err := s.send(ctx, client, messageOf(i)); ctx.Err() == nil {
						answers.addStatus(status, err)
					}
				})
			}()
			defer func() { stop(); <-ended }()
			eventually.Holds(t, "some of the flood is answered", func(a *eventually.Attempt) { require.NotEmpty(a, answers.Counts()) })
			client := s.client(false)
			defer client.CloseIdleConnections()
			for i := range questions {
				status, err := s.send(t.Context(), client, message{method: http.MethodGet, path: fmt.Sprintf("%s/question-%d", schemas, i), token: mouse})
				require.NoError(t, err)
				require.Equal(t, http.StatusNotFound, status)
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
	return &Server{Name: "this server", URL: s.URL, Process: s.Process, roots: k.ClientCA.Pool()}
}
