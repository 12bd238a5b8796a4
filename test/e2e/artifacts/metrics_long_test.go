//go:build long

package artifacts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/prom"
)

// TestPrometheus tests the statements of docs/deploy.md about Prometheus, which it runs
// with the scrape configuration of artifacts/.
func TestPrometheus(t *testing.T) {
	s := startSite(t)
	t.Run("Prometheus finds every replica, and each is up", func(t *testing.T) { testUp(t, s) })
	t.Run("requests show in the series of flow control", func(t *testing.T) { testLoad(t, s) })
	t.Run("every family is there", func(t *testing.T) { testFamilies(t, s) })
	t.Run("no sample is rejected", func(t *testing.T) { s.prometheus.RequireNoneRejected(t) })
}

// testUp requires that Prometheus discovers and scrapes every replica.
func testUp(t *testing.T, s *site) {
	var want []string
	for _, pod := range s.Servers(t, replicas) {
		want = append(want, pod.Name())
	}
	eventually.Holds(t, "Prometheus reads every replica", func(a *eventually.Attempt) {
		targets, err := s.prometheus.Targets(a.Context())
		require.NoError(a, err)
		var up []string
		for _, target := range targets {
			require.Equal(a, "up", target.Health, "%s of %v: %s", target.ScrapeURL, target.Labels, target.LastError)
			up = append(up, target.Labels["pod"])
		}
		require.ElementsMatch(a, want, up)
	})
}

// testLoad sends requests as a node; there are no other nodes. It requires that
// exactly these requests are counted in the nodes' level, and that the seats of
// every level are reported.
func testLoad(t *testing.T, s *site) {
	const requests = 30
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=list", "--resource=flowschemas.flowcontrol.apiserver.k8s.io")
	s.kubectl.Run(t, "create", "clusterrolebinding", "reader", "--clusterrole=reader", "--group=system:nodes")
	config := s.Config(t)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:reader", Groups: []string{"system:nodes", "system:authenticated"}}
	for range requests {
		// kube-apiserver rejects the requests until it applies the permission.
		eventually.Holds(t, "a request is passed on", func(a *eventually.Attempt) {
			_, err := fetch(a.Context(), config, basePath+"/flowschemas")
			require.NoError(a, err)
		})
	}
	eventually.Holds(t, "the requests are counted", func(a *eventually.Attempt) {
		samples, err := s.prometheus.Query(a.Context(), `sum(apiserver_flowcontrol_dispatched_requests_total{job="flowcontrol-apiserver",flow_schema="system-nodes",priority_level="system"})`)
		require.NoError(a, err)
		require.Equal(a, []prom.Sample{{Labels: map[string]string{}, Value: requests}}, samples)
	})

	levels, err := s.Client.FlowcontrolV1().PriorityLevelConfigurations().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	want := map[string]float64{}
	for i := range levels.Items {
		want[levels.Items[i].Name] = replicas
	}
	// A replica whose last scrape timed out has no series until the next one.
	eventually.Holds(t, "every replica tells of the seats of every level", func(a *eventually.Attempt) {
		samples, err := s.prometheus.Query(a.Context(), `count by (priority_level) (apiserver_flowcontrol_nominal_limit_seats{job="flowcontrol-apiserver"})`)
		require.NoError(a, err)
		told := map[string]float64{}
		for _, sample := range samples {
			told[sample.Labels["priority_level"]] += sample.Value
		}
		require.Equal(a, want, told)
	})
}

// testFamilies requires every family of the server's /metrics in Prometheus.
func testFamilies(t *testing.T, s *site) {
	text, err := fetch(t.Context(), s.operator(t), "/metrics")
	require.NoError(t, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err)
	require.Greater(t, len(families), 100)
	eventually.Holds(t, "all series are stored", func(a *eventually.Attempt) {
		names, err := s.prometheus.Names(a.Context())
		require.NoError(a, err)
		var missing []string
		for _, name := range slices.Sorted(maps.Keys(families)) {
			for _, series := range series(families[name]) {
				if !slices.Contains(names, series) {
					missing = append(missing, series)
				}
			}
		}
		require.Empty(a, missing)
	})
}

// series returns the names of a family's series.
func series(family *dto.MetricFamily) []string {
	name := family.GetName()
	switch family.GetType() {
	case dto.MetricType_HISTOGRAM:
		return []string{name + "_bucket", name + "_sum", name + "_count"}
	case dto.MetricType_SUMMARY:
		return []string{name + "_sum", name + "_count"}
	default:
		return []string{name}
	}
}

// fetch reads a page of a server. A status code other than 200 is an error.
func fetch(ctx context.Context, config *rest.Config, path string) (string, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return "", err
	}
	reply, err := harness.Send(ctx, client, http.MethodGet, config.Host+path, "")
	if err == nil && reply.Code != http.StatusOK {
		err = fmt.Errorf("%s: %d: %s", path, reply.Code, reply.Body)
	}
	return reply.Body, err
}

// operator returns a client configuration that connects directly to a replica with
// a certificate of system:masters.
func (s *site) operator(t *testing.T) *rest.Config {
	t.Helper()
	config := s.Direct(t, s.Servers(t, replicas)[0])
	pair := s.KubeAPIServer.ClientCA.Client(t, "operator", "system:masters")
	config.CertFile, config.KeyFile = pair.CertFile, pair.KeyFile
	return config
}
