//go:build long

package artifacts

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestPrometheus tests the statements of docs/deploy.md about Prometheus, which it runs
// with the scrape configuration of artifacts/.
func TestPrometheus(t *testing.T) {
	s := startSite(t)
	t.Run("Prometheus finds every replica, and each is up", func(t *testing.T) { testUp(t, s) })
	t.Run("promtool objects to no metric that kube-apiserver has not", func(t *testing.T) { testChecked(t, s) })
	t.Run("no sample is rejected", func(t *testing.T) { testNoneRejected(t, s) })
}

// testChecked compares what `promtool check metrics` says of kube-apiserver, of a replica behind it, and of a
// server alone, after more requests at once than have seats.
func testChecked(t *testing.T, s *site) {
	alone := harness.StartServer(t, harness.ServerOptions{Args: []string{"--max-requests-inflight=1", "--max-mutating-requests-inflight=1"}})
	behind := s.Direct(t, s.Servers(t, replicas)[0])
	behind.BearerToken = s.token(t)
	const limited = "Impersonate-User: limited" // the administrator is exempt
	theirs := objections(t, s.Config(t), limited)
	require.NotEmpty(t, theirs, "to names of the library")
	assert.Subset(t, theirs, objections(t, behind))
	assert.Subset(t, theirs, objections(t, alone.Config(t), limited))
}

// objections returns what promtool says of /metrics after 200 requests for it at once.
func objections(t *testing.T, config *rest.Config, headers ...string) []string {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	var load errgroup.Group
	for range 200 {
		load.Go(func() error {
			_, err := harness.Send(t.Context(), client, http.MethodGet, config.Host+"/metrics", "", headers...)
			return err
		})
	}
	require.NoError(t, load.Wait())
	metrics, err := harness.Send(t.Context(), client, http.MethodGet, config.Host+"/metrics", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, metrics.Code, metrics.Body)
	path := harness.Program(t, binaries.Promtool)
	command := exec.CommandContext(t.Context(), path, "check", "metrics")
	command.Stdin = strings.NewReader(metrics.Body)
	output, err := command.CombinedOutput()
	t.Logf("%s: %v\n%s", config.Host, err, output)
	return strings.Split(strings.TrimSpace(string(output)), "\n")
}
