package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Shards with equal use become full at the same time. If each waited for the
// other to merge, processors would wait for each other at every batch, and this
// test would not end.
func TestAShardThatIsFullDoesNotWaitWhileAnotherIsMerged(t *testing.T) {
	f := newFixture(t, queues(8, 2, 50), 60)
	const requests = 500
	f.set.WhileLocked(func() {
		for range requests {
			r := f.arrive("a", wide(1), queueset.Seated)
			f.clock.Advance(time.Millisecond)
			f.set.Finish(r)
		}
	})
	figures := f.set.Figures()
	assert.Zero(t, figures.SeatsInUse)
	assert.InDelta(t, requests*0.001/60, figures.SeatShare.Sum/1e9, 1e-9, "nothing that happened meanwhile is lost")
}

func TestALevelAtRestKeepsNoMemoryForChanges(t *testing.T) {
	f := newFixture(t, queues(8, 2, 50), 60)
	for range 3 {
		for range 500 {
			f.set.Finish(f.arrive("a", wide(1), queueset.Seated))
		}
		assert.Positive(t, f.set.ChangesKept())
		assert.Equal(t, 1, f.set.ResetDemand().HighWatermark)
		assert.Zero(t, f.set.ChangesKept())
	}
}
