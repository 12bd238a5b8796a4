//go:build long

package alone

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/prom"
)

// scraper is the user whom artifacts/prometheus lets read the metrics.
const scraper = "system:serviceaccount:monitoring:prometheus"

// prometheus scrapes a server alone, with a certificate of a user who may do nothing else.
func prometheus(t *testing.T, _ *clientsSite, _ string) outcome {
	ca := harness.NewCA(t, "users")
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{
		"--client-ca-file=" + ca.CertFile, "--authorization-rbac-file=" + metricsRole(t),
	}})
	p := prom.Start(t, scrapeConfiguration(t, server, ca.Client(t, scraper)))
	eventually.Holds(t, "the target is up for the user, and for nobody else", func(a *eventually.Attempt) {
		targets, err := p.Targets(a.Context())
		require.NoError(a, err)
		errors := map[string]string{}
		for _, target := range targets {
			errors[target.Labels["job"]] = target.LastError
		}
		require.Equal(a, map[string]string{"flowcontrol-apiserver": "", "anonymous": "server returned HTTP status 401 Unauthorized"}, errors)
	})
	eventually.Holds(t, "the seats of each built-in level are stored", func(a *eventually.Attempt) {
		samples, err := p.Query(a.Context(), `apiserver_flowcontrol_nominal_limit_seats{job="flowcontrol-apiserver"}`)
		require.NoError(a, err)
		require.Len(a, samples, 8)
	})
	p.RequireNoneRejected(t)
	return outcome{
		version: moduleVersion(t, harness.Program(t, binaries.Prometheus), "github.com/prometheus/prometheus"),
		works:   []string{"scrape of every series"},
		needs:   []string{"a user: a client certificate of `--client-ca-file`, and the ClusterRole of `artifacts/prometheus/rbac.yaml`"},
	}
}

// metricsRole writes the ClusterRole and its binding, without the Role: nothing that a server
// alone serves has a namespace.
func metricsRole(t *testing.T) string {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(root, "artifacts", "prometheus", "rbac.yaml"))
	require.NoError(t, err)
	documents := strings.Split(string(content), "---\n")
	require.Len(t, documents, 4)
	path := filepath.Join(t.TempDir(), "rbac.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(documents[:2], "---\n")), 0o644))
	return path
}

// scrapeConfiguration writes the configuration of Prometheus.
func scrapeConfiguration(t *testing.T, server *harness.Server, user harness.Pair) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prometheus.yml")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `global: {scrape_interval: 1s}
scrape_configs:
- job_name: flowcontrol-apiserver
  scheme: https
  tls_config: {ca_file: %[1]s, cert_file: %[2]s, key_file: %[3]s}
  static_configs: [{targets: [%[4]s]}]
- job_name: anonymous
  scheme: https
  tls_config: {ca_file: %[1]s}
  static_configs: [{targets: [%[4]s]}]
`, filepath.Join(server.DataDir, "pki", "ca.crt"), user.CertFile, user.KeyFile, strings.TrimPrefix(server.URL, "https://")), 0o644))
	return path
}
