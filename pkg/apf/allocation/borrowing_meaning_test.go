package allocation_test

import (
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

// measured is the level whose metrics are compared.
const measured = "measured"

// histograms returns the histograms of a family that belong to the level measured, by the
// value of the label execute, or by "" without that label.
func (m member) histograms(t *testing.T, name string) map[string]*dto.Histogram {
	t.Helper()
	families, err := m.registry.Gather()
	require.NoError(t, err)
	out := map[string]*dto.Histogram{}
	for _, family := range families {
		if family.GetName() != "apiserver_flowcontrol_"+name {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if labels["priority_level"] == measured {
				out[labels["execute"]] = metric.GetHistogram()
			}
		}
	}
	return out
}

// The help texts of the library say something else than what it counts: demand_seats is
// relative to the current limit, and a request that times out in its queue counts as one
// that executes.
func TestDemandAndWaitsMeanWhatTheyMeanAtPeer(t *testing.T) {
	s := site{total: 20, levels: []level{
		{name: exempt},
		{name: catchAll, Share: allocation.Share{Shares: 5, LendablePercent: 100}, queues: 1, handSize: 1},
		{name: measured, Share: allocation.Share{Shares: 15}, queues: 1, handSize: 1},
	}}
	traffic := []demand{
		{level: measured, from: time.Second, until: 35 * time.Second, seats: 10},
		{level: measured, from: 2 * time.Second, until: 8 * time.Second, seats: 10}, // times out
		{level: measured, from: 3 * time.Second, until: 30 * time.Second, seats: 3},
	}
	synctest.Test(t, func(t *testing.T) {
		peer, ours := start(t, s)
		play(t, []member{peer, ours}, traffic, func(period int) {
			want, got := peer.gather(t)[measured], ours.gather(t)[measured]
			require.Equal(t, want[currentLimit], got[currentLimit])
			if period == 1 {
				require.Greater(t, got[currentLimit], got[nominal], "it borrows")
			}
		})
		want, got := peer.histograms(t, "demand_seats")[""], ours.histograms(t, "demand_seats")[""]
		require.Positive(t, want.GetSampleSum())
		assert.InEpsilon(t, want.GetSampleSum(), got.GetSampleSum(), 1e-6)

		waits, theirs := ours.histograms(t, "request_wait_duration_seconds"), peer.histograms(t, "request_wait_duration_seconds")
		require.Contains(t, waits, "true")
		assert.NotContains(t, theirs, "false")
		assert.NotContains(t, waits, "false")
		assert.EqualValues(t, 3, theirs["true"].GetSampleCount())
		assert.EqualValues(t, 3, waits["true"].GetSampleCount())
		assert.InDelta(t, theirs["true"].GetSampleSum(), waits["true"].GetSampleSum(), 1e-6)
	})
}
