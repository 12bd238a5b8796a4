package behind

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// cutOff is part of kube-apiserver's answer to a write that was in flight when the
// replica closed the connection. kube-apiserver retries reads. It cannot retry a
// write, because it has not kept the body:
// https://github.com/kubernetes/kubernetes/issues/135285.
const cutOff = "graceful shutdown GOAWAY] after Request.Body was written"

// testRollout replaces all pods by pods of a kustomization, as an upgrade does.
func testRollout(kustomization string) func(*testing.T, *besideSite, *load) {
	return func(t *testing.T, s *besideSite, l *load) {
		t.Helper()
		l.relayed.allow(cutOff)
		before := map[string]bool{}
		for _, pod := range s.Servers(t, replicas) {
			before[pod.Name()] = true
		}
		s.kubectl.Run(t, "apply", "-k", kustomization)
		s.WaitRollout(t)
		for _, pod := range s.Servers(t, replicas) { // once the old ones have ended
			require.NotContains(t, before, pod.Name())
			require.Zero(t, pod.Restarts())
		}
	}
}

// withFiles returns a kustomization of the deployment whose serving certificate is in files.
func withFiles(t *testing.T, overlay string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(harness.ShortDir(t))
	require.NoError(t, err)
	relative := func(path string) string {
		path, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		return path
	}
	content := fmt.Sprintf("resources: [%s]\ncomponents: [%s]\n", relative(overlay), relative(harness.Path(t, "artifacts/components/certificate-files")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(content), 0o600))
	return dir
}

// replace replaces a file atomically with the concatenation of others.
func replace(t *testing.T, file string, parts ...string) {
	t.Helper()
	var content []byte
	for _, part := range parts {
		text, err := os.ReadFile(part)
		require.NoError(t, err)
		content = append(content, text...)
	}
	require.NoError(t, os.WriteFile(file+".new", content, 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

// past returns a client that connects directly to the server's Service, not
// through the aggregator.
func (s *besideSite) past(t *testing.T) *http.Client {
	t.Helper()
	serving := x509.NewCertPool()
	require.True(t, serving.AppendCertsFromPEM(s.ServingCA(t)))
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: serving, ServerName: cluster.ServerName},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return s.Network.Dial(ctx, cluster.ServerName+":443")
		},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// relayed returns a client that connects through kube-apiserver.
func (s *besideSite) relayed(t *testing.T) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(s.aggregated(t).config)
	require.NoError(t, err)
	return client
}
