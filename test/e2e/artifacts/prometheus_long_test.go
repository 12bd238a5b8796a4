//go:build long

package artifacts

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// startPrometheus runs Prometheus with the scrape configuration of artifacts/, and returns its URL.
func (s *site) startPrometheus(t *testing.T) string {
	t.Helper()
	dir, address := t.TempDir(), ports.Loopback(ports.Free(t, 1)[0])
	s.writeScrape(t, dir)
	config := filepath.Join(dir, "prometheus.yml")
	write(t, config, "global: {scrape_interval: 2s}\nscrape_config_files: [scrape.yaml]\n")
	harness.StartProcess(t, harness.Command{Path: harness.Program(t, binaries.Prometheus), Args: []string{
		"--config.file=" + config, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address,
	}})
	url := "http://" + address
	eventually.Holds(t, "Prometheus is ready", func(a *eventually.Attempt) { fetch(a.Context(), a, url+"/-/ready") })
	return url
}

// fetch reads a page.
func fetch(ctx context.Context, t require.TestingT, url string) string {
	reply, err := harness.Send(ctx, http.DefaultClient, http.MethodGet, url, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.Code, reply.Body)
	return reply.Body
}

// testUp requires that Prometheus discovers and scrapes every replica.
func testUp(t *testing.T, s *site) {
	var want []string
	for _, pod := range s.Servers(t, replicas) {
		want = append(want, pod.Name())
	}
	eventually.Holds(t, "Prometheus reads every replica", func(a *eventually.Attempt) {
		var answer struct {
			Data struct {
				ActiveTargets []struct {
					Labels                       map[string]string
					ScrapeURL, Health, LastError string
				}
			}
		}
		require.NoError(a, json.Unmarshal([]byte(fetch(a.Context(), a, s.prometheus+"/api/v1/targets?state=active")), &answer))
		var up []string
		for _, target := range answer.Data.ActiveTargets {
			require.Equal(a, "up", target.Health, "%s of %v: %s", target.ScrapeURL, target.Labels, target.LastError)
			up = append(up, target.Labels["pod"])
		}
		require.ElementsMatch(a, want, up)
	})
}

// testNoneRejected reads the metrics of Prometheus about rejected samples. For example, two series
// with the same name and labels leave the target up and are only counted.
func testNoneRejected(t *testing.T, s *site) {
	values, err := scrape.Parse(fetch(t.Context(), t, s.prometheus+"/metrics"), "prometheus_target_scrapes_")
	require.NoError(t, err)
	for _, reason := range []string{"sample_duplicate_timestamp", "sample_out_of_order", "sample_out_of_bounds", "exceeded_body_size_limit", "exceeded_sample_limit"} {
		name := "prometheus_target_scrapes_" + reason + "_total"
		require.Contains(t, values, name)
		require.Zero(t, values[name], reason)
	}
}
