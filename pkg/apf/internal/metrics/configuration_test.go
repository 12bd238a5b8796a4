package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// configurationSeries returns the values of all series, by family and values of labels.
func configurationSeries(t *testing.T, status engine.ConfigurationStatus) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	collector := NewConfigurationCollector(func() engine.ConfigurationStatus { return status })
	require.NoError(t, registry.Register(collector))
	series := map[string]float64{}
	for name, family := range byName(t, registry) {
		require.Contains(t, collector.Names(), name)
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				name += " " + label.GetValue()
			}
			series[name] = metric.GetGauge().GetValue()
			name = family.GetName()
		}
	}
	return series
}

func TestConfigurationInForceIsShown(t *testing.T) {
	assert.Equal(t, map[string]float64{
		"apiserver_flowcontrol_configuration_info sha256:12":                             1,
		"apiserver_flowcontrol_configuration_objects FlowSchema dangling":                2,
		"apiserver_flowcontrol_configuration_objects FlowSchema enforced":                13,
		"apiserver_flowcontrol_configuration_objects PriorityLevelConfiguration invalid": 1,
		"apiserver_flowcontrol_configuration_pending_changes":                            3,
		"apiserver_flowcontrol_configuration_last_applied_timestamp_seconds":             1000.5,
	}, configurationSeries(t, engine.ConfigurationStatus{
		AppliedAt: time.UnixMilli(1000500),
		Hash:      "sha256:12",
		Objects: map[engine.Kind]map[engine.ObjectState]int{
			engine.SchemaKind: {engine.Dangling: 2, engine.Enforced: 13},
			engine.LevelKind:  {engine.Invalid: 1},
		},
		Pending: 3,
	}))
}

func TestNoConfigurationIsShownBeforeOneIsInForce(t *testing.T) {
	assert.Empty(t, configurationSeries(t, engine.ConfigurationStatus{Pending: 1}))
}
