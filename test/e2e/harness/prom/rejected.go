package prom

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// RequireNoneRejected reads the metrics of Prometheus about rejected samples. For example,
// two series with the same name and labels leave the target up and are only counted.
func (s *Server) RequireNoneRejected(t *testing.T) {
	t.Helper()
	text, err := s.Fetch(t.Context(), "/metrics")
	require.NoError(t, err)
	values, err := scrape.Parse(text, "prometheus_target_scrapes_")
	require.NoError(t, err)
	for _, reason := range []string{"sample_duplicate_timestamp", "sample_out_of_order", "sample_out_of_bounds", "exceeded_body_size_limit", "exceeded_sample_limit"} {
		name := "prometheus_target_scrapes_" + reason + "_total"
		require.Contains(t, values, name)
		require.Zero(t, values[name], reason)
	}
}
