package source

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

// metricsOf are the metrics of a server of a total.
func metricsOf(levels []*flowcontrolv1.PriorityLevelConfiguration, total int) replica.Metrics {
	all := make([]allocation.Share, 0, len(levels))
	for _, level := range levels {
		all = append(all, allocation.Share{Shares: int32(configuration.Shares(level))})
	}
	metrics := replica.Metrics{Levels: map[string]replica.LevelMetrics{}}
	for i, limits := range allocation.Nominal(total, all) {
		metrics.Levels[levels[i].Name] = replica.LevelMetrics{Nominal: &limits.Nominal}
	}
	return metrics
}

func TestInferredTotalGivesTheLimitsOfTheMetrics(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var levels []*flowcontrolv1.PriorityLevelConfiguration
		for i := range 1 + random.IntN(12) {
			level := &flowcontrolv1.PriorityLevelConfiguration{}
			level.Name = fmt.Sprint(i)
			level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: new(1 + random.Int32N(200))}
			levels = append(levels, level)
		}
		metrics := metricsOf(levels, 1+random.IntN(5000))
		got, note := inferTotal(levels, metrics)
		require.Contains(t, note, "is inferred")
		require.Equal(t, metrics, metricsOf(levels, got))
	}
}

func TestTotalThatDoesNotFitIsEstimated(t *testing.T) {
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	metrics := metricsOf(c.PriorityLevels, 600)
	metrics.Levels["system"] = replica.LevelMetrics{Nominal: new(1)}
	got, note := inferTotal(c.PriorityLevels, metrics)
	assert.InDelta(t, 530, got, 10)
	assert.Contains(t, note, "about")
}

func TestTotalWithoutMetricsIsUnknown(t *testing.T) {
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	got, note := inferTotal(c.PriorityLevels, replica.Metrics{})
	assert.Zero(t, got)
	assert.Contains(t, note, "600 seats are assumed")
}
