package kubeapiserver

import (
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// series returns the values of the metrics of a check, by family.
func series(t *testing.T, m *Monitor, check string) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(m.Metrics()))
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		require.Len(t, family.GetMetric(), len(m.Checks()))
		for _, metric := range family.GetMetric() {
			if metric.GetLabel()[0].GetValue() == check {
				values[family.GetName()] = metric.GetGauge().GetValue()
			}
		}
	}
	return values
}

func TestMetricsShowTheLastAttemptAndTheLastSuccess(t *testing.T) {
	const check, passing, last = "delegated-authorization", "flowcontrol_apiserver_kube_apiserver_check_passing", "flowcontrol_apiserver_kube_apiserver_check_last_success_timestamp_seconds"
	f := newFront(t)
	m := f.monitor(t, nil)
	require.Equal(t, map[string]float64{passing: 0, last: 0}, series(t, m, check), "before the first attempt")

	f.clock.SetTime(time.Unix(1000, 0))
	m.Round(t.Context())
	require.Equal(t, map[string]float64{passing: 1, last: 1000}, series(t, m, check))

	f.say(accessPath, http.StatusForbidden, forbidden)
	f.clock.SetTime(time.Unix(1060, 0))
	m.Round(t.Context())
	require.Equal(t, map[string]float64{passing: 0, last: 1000}, series(t, m, check), "readiness stays, the metrics tell")
	require.Equal(t, map[string]float64{passing: 1, last: 1060}, series(t, m, "kube-apiserver"))
}
