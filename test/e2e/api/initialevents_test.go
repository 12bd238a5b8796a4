package api

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// initialEvents is the intended difference that the cases do not meet, since their peer has the
// feature gate. It ends with kube-apiserver 1.34.
func initialEvents() difference {
	return difference{
		name:   "initial-events",
		reason: "Watches with `sendInitialEvents` are answered without a feature gate; kube-apiserver 1.33 answers 422 without `--feature-gates=WatchList=true`, which its side of the cases has.",
	}
}

// TestInitialEventsNeedAFeatureGateInKubeAPIServer holds the row of initialEvents, on servers with
// the gates that they have by default.
func TestInitialEventsNeedAFeatureGateInKubeAPIServer(t *testing.T) {
	t.Parallel()
	program, err := binaries.KubeAPIServerOf(t.Context(), binaries.KubernetesVersion)
	require.NoError(t, err)
	peer := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Program: program, Etcd: harness.StartEtcd(t, harness.EtcdOptions{})})
	ours := harness.StartServer(t, harness.ServerOptions{})

	code, body := initialEventsOf(t, peer.URL, peer.Config(t))
	require.Equal(t, http.StatusUnprocessableEntity, code, body)
	require.Contains(t, body, "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	code, body = initialEventsOf(t, ours.URL, ours.Config(t))
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, `"type":"ADDED"`)
}

// initialEventsOf returns the answer to a watch that asks for initial events, and ends in a second.
func initialEventsOf(t *testing.T, url string, config *rest.Config) (code int, body string) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	path := "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(content)
}
