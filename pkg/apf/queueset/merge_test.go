package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
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

// A Set without free seats notes its changes under its own lock.
func TestALevelAtRestKeepsNoMemoryForChanges(t *testing.T) {
	for name, c := range map[string]struct{ seats, mark int }{"that was open": {60, 1}, "that was full": {1, 2}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, queues(8, 2, 50), c.seats)
			for range 3 {
				for range 200 {
					held := f.arrive("a", wide(1), queueset.Seated)
					if c.seats < c.mark {
						waits := f.arrive("b", wide(1), queueset.Waiting)
						f.set.Finish(held)
						held = waits
					}
					f.set.Finish(held)
				}
				assert.Positive(t, f.set.ChangesKept())
				assert.Equal(t, c.mark, f.set.ResetDemand().HighWatermark)
				assert.Zero(t, f.set.ChangesKept())
			}
		})
	}
}

// meanwhile is a clock that calls a function once, right after it was read.
type meanwhile struct {
	*clock.Fake
	call func()
}

func (m *meanwhile) Now() time.Duration {
	now := m.Fake.Now()
	if call := m.call; call != nil {
		m.call = nil
		call()
	}
	return now
}

// A request arrives when ResetDemand has read the time and takes the shards: it counts for
// the next period.
func TestAPeriodForgetsNothingThatIsNotedAfterItsEnd(t *testing.T) {
	f := newFixture(t, queues(8, 2, 50), 60)
	hooked, layout := &meanwhile{Fake: f.clock}, stats.NewLayout(1)
	f.series = layout.NewSeries("level", "schema")
	var err error
	f.set, err = queueset.New(hooked, layout, queues(8, 2, 50), limits(60))
	require.NoError(t, err)
	hooked.call = func() {
		f.clock.Advance(1)
		f.arrive("a", wide(3), queueset.Seated)
	}
	assert.Zero(t, f.set.ResetDemand().HighWatermark)
	assert.Equal(t, 3, f.seatsInUse())
	assert.Equal(t, 3, f.set.ResetDemand().HighWatermark)
}

// A shard notes starts and ends of requests in 8 bytes each, and the Set notes the ones that do not
// fit.
func TestWidestRequestsAndLongestPausesAreCounted(t *testing.T) {
	const (
		widest = 1 << 20
		long   = 1000 * time.Hour
	)
	f := newFixture(t, queueset.Config{Discipline: queueset.Exempt}, 1)
	short := f.arrive("a", wide(1), queueset.Seated)
	wider, widestOfShard := f.arrive("a", wide(widest), queueset.Seated), f.arrive("a", wide(1<<16-1), queueset.Seated)
	assert.Equal(t, 1+widest+1<<16-1, f.seatsInUse())
	f.clock.Advance(long)
	f.set.Finish(wider)
	assert.Equal(t, 1+1<<16-1, f.seatsInUse())
	f.set.Finish(widestOfShard)
	f.clock.Advance(time.Second)
	other := f.requestOf(0, "a", wide(3))
	require.Equal(t, queueset.Seated, f.set.Arrive(other))
	f.clock.Advance(long)
	f.set.Finish(short) // long after what its shard has noted
	f.set.Finish(other)
	assert.Zero(t, f.seatsInUse())
	assert.True(t, f.set.IsOpen())
	assert.Equal(t, widest+1<<16, f.set.ResetDemand().HighWatermark)
	final := f.arrive("a", seats.Work{Initial: 1, Final: 2, Latency: long}, queueset.Seated)
	f.set.Finish(final)
	assert.Equal(t, 2, f.seatsInUse())
	f.set.Finish(f.arrive("a", wide(1), queueset.Seated))
	f.clock.Advance(long) // the shard has no room for the release until its changes are merged
	assert.Zero(t, f.seatsInUse())
	assert.True(t, f.set.Idle())
	want := float64(widest+1<<16)*long.Seconds() + 1 + 6*long.Seconds()
	assert.InEpsilon(t, want, f.set.Figures().SeatShare.Sum/1e9, 1e-12)
}
