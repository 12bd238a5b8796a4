package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// The library has no member for what was never counted, and no empty histogram.
func TestWhatNeverHappenedIsLeftOut(t *testing.T) {
	series := stats.NewLayout(1).NewSeries("l1", "s1")
	series.Dispatched(0, 1, 1, 0)
	families := byName(t, registered(t, fixed{Series: []stats.Snapshot{series.Snapshot()}}))
	for _, name := range []string{"rejected_requests_total", "request_dispatch_no_accommodation_total", "request_execution_seconds", "watch_count_samples"} {
		assert.NotContains(t, families, prefix+name)
	}
	waits := families[prefix+"request_wait_duration_seconds"].GetMetric()
	assert.Len(t, waits, 1, "of the executed, none of the refused")
	assert.Contains(t, families, prefix+"dispatched_requests_total")

	series.Rejected(0, 1)
	refused := byName(t, registered(t, fixed{Series: []stats.Snapshot{series.Snapshot()}}))[prefix+"rejected_requests_total"].GetMetric()
	assert.Len(t, refused, 1, "one reason, not each")
}
