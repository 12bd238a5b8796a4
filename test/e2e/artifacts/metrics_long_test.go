//go:build long

package artifacts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// TestPrometheus tests the statements of docs/deploy.md about Prometheus, which it runs
// with the scrape configuration of artifacts/.
func TestPrometheus(t *testing.T) {
	s := startSite(t)
	t.Run("Prometheus finds every replica, and each is up", func(t *testing.T) { testUp(t, s) })
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
