package plugin

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/described"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

const v1Path = "/apis/flowcontrol.apiserver.k8s.io/v1"

var updateDocs = tour.Flag()

// site is a server alone, and kubectl with the plug-in.
type site struct {
	*harness.Server
	http    *http.Client
	kubectl *harness.Kubectl
}

// startSite starts a server and waits until it writes nothing by itself.
func startSite(t *testing.T, flags ...string) *site {
	t.Helper()
	server := harness.StartServer(t, harness.ServerOptions{Args: flags})
	server.Settle(t)
	config := server.Config(t)
	described.Judge(t, config)
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return &site{Server: server, http: client, kubectl: server.Kubectl(t)}
}

// get sends a request as a user.
func (s *site) get(ctx context.Context, path, user string) (harness.Reply, error) {
	return harness.Send(ctx, s.http, http.MethodGet, s.URL+path, "", "Impersonate-User: "+user)
}
