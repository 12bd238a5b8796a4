package heavyhitters

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWindowsCountWhatABatchCollected(t *testing.T) {
	var b Batch
	w := NewWindows()
	w.Count(&b)
	assert.True(t, w.Empty(0))
	for i := range 3 * batchSize {
		b.Add(time.Duration(i)*time.Millisecond, "schema", fmt.Sprint(i/2%10), second) // two of each flow in succession
	}
	assert.False(t, b.Empty())
	w.Count(&b)
	assert.True(t, b.Empty())
	total := 0.0
	for _, use := range w.Report(time.Second) {
		total += use.Windows[OneMinute].SeatSeconds
	}
	assert.InDelta(t, 3*batchSize, total, 1e-6)
}

func TestFlowsOfDifferentSchemasAreApart(t *testing.T) {
	var b Batch
	b.Add(0, "one", "alice", second)
	b.Add(0, "two", "alice", 2*second)
	w := NewWindows()
	w.Count(&b)
	assert.InDelta(t, 1, used(w, 0, Flow{"one", "alice"})[OneMinute], 1e-6)
	assert.InDelta(t, 2, used(w, 0, Flow{"two", "alice"})[OneMinute], 1e-6)
}

// A name may be part of a large string, such as the headers of a request.
func TestEmptyBatchHoldsNoNames(t *testing.T) {
	var b Batch
	b.Add(0, "schema", "alice", second)
	NewWindows().Count(&b)
	for _, e := range b.entries[:cap(b.entries)] {
		assert.Equal(t, entry{}, e)
	}
}
