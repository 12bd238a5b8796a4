package metrics

import (
	"fmt"
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

func totalFamilies(t *testing.T, status total.Status) map[string][]string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	collector := NewTotalCollector(func() total.Status { return status })
	require.NoError(t, registry.Register(collector))
	shown := map[string][]string{}
	for name, family := range byName(t, registry) {
		require.Contains(t, collector.Names(), name)
		for _, metric := range family.GetMetric() {
			text := ""
			for _, label := range metric.GetLabel() {
				text = label.GetName() + "=" + label.GetValue() + " "
			}
			value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			shown[name] = append(shown[name], text+fmt.Sprint(value))
		}
	}
	touchPeer()
	_, err := Union(legacyregistry.DefaultGatherer, registry, nil).Gather()
	require.NoError(t, err, "the library has no metrics of these names")
	return shown
}

func TestRecommendedTotalIsShownWithItsReasons(t *testing.T) {
	assert.Equal(t, map[string][]string{
		"apiserver_flowcontrol_total_seats":                   {"600"},
		"apiserver_flowcontrol_recommended_total_seats":       {"540"},
		"apiserver_flowcontrol_recommended_total_steps_total": {"reason=enough 7", "reason=scheduling-latency 1"},
		"apiserver_flowcontrol_machine_pressure_ratio":        {"signal=memory 0.5", "signal=scheduling-latency 2"},
	}, totalFamilies(t, total.Status{
		InEffect: 600, Active: true,
		Recommendation: total.Recommendation{
			Total:    540,
			Pressure: [total.SignalCount]float64{total.SchedulingLatency: 2, total.Memory: 0.5, total.Throttling: math.NaN()},
		},
		Steps: map[total.Reason]uint64{total.SlowScheduling: 1, total.Enough: 7},
	}))
}

func TestStaticTotalHasNoRecommendation(t *testing.T) {
	assert.Equal(t, map[string][]string{"apiserver_flowcontrol_total_seats": {"600"}}, totalFamilies(t, total.Status{InEffect: 600}))
}
