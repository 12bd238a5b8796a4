package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

func TestFiguresAboutFlowsNameNoFlow(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	collector := NewFlowCollector(func() []engine.FlowFigures {
		return []engine.FlowFigures{{Level: "l1", HeaviestShare: 0.75, RejectedFlows: 3}, {Level: "l2"}}
	})
	require.NoError(t, registry.Register(collector))
	families := byName(t, registry)
	require.Len(t, families, len(collector.Names()))
	for name, want := range map[string][]float64{"apf_heaviest_flow_seat_share": {0.75, 0}, "apf_rejected_flows": {3, 0}} {
		require.Contains(t, families, name)
		for i, metric := range families[name].GetMetric() {
			require.Len(t, metric.GetLabel(), 1)
			assert.Equal(t, levelLabel, metric.GetLabel()[0].GetName())
			assert.InDelta(t, want[i], metric.GetGauge().GetValue(), 0)
		}
	}
	touchPeer()
	_, err := Union(legacyregistry.DefaultGatherer, registry, nil).Gather()
	require.NoError(t, err, "the library has no metrics of these names")
}
