package queueset_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// The clock of some machines shows the same time for several events.
func TestHighWaterMarkOfOneThreadIsOneWhileTheClockStands(t *testing.T) {
	f := newFixture(t, queues(8, 2, 50), 60)
	first, second := f.requestOf(1, "a", wide(1)), f.requestOf(0, "a", wide(1))
	require.Equal(t, queueset.Seated, f.set.Arrive(first))
	f.clock.Advance(time.Second)
	f.set.Finish(first)
	require.Equal(t, queueset.Seated, f.set.Arrive(second))
	assert.Equal(t, 1, f.set.ResetDemand().HighWatermark)
}

// threads are requests through all shards; some execute.
type threads struct {
	*fixture
	random          *rand.Rand
	idle, executing []*queueset.Request
	most            int // executed at once since the last reading
}

// act starts or ends a request, each at a time of its own.
func (th *threads) act() {
	th.clock.Advance(time.Nanosecond)
	from, to := &th.idle, &th.executing
	if len(th.idle) == 0 || len(th.executing) > 0 && th.random.IntN(2) == 0 {
		from, to = to, from
	}
	i := th.random.IntN(len(*from))
	r := (*from)[i]
	*from = append((*from)[:i:i], (*from)[i+1:]...)
	*to = append(*to, r)
	if to == &th.idle {
		th.set.Finish(r)
		return
	}
	require.Equal(th.t, queueset.Seated, th.set.Arrive(r))
	th.most = max(th.most, len(th.executing))
}

func TestHighWaterMarkIsWhatWasInUseAtOnceHoweverMergesAndRequestsInterleave(t *testing.T) {
	for seed := range lane.Pick[uint64](50, 1000) {
		th := threads{fixture: newFixture(t, queues(8, 2, 50), 200), random: rand.New(rand.NewPCG(seed, 11))}
		for i := range 1 + th.random.IntN(12) {
			th.idle = append(th.idle, th.requestOf(i, "a", wide(1)))
		}
		for range 20 {
			for range th.random.IntN(100) {
				th.act()
			}
			th.set.MergeSlowly(func(int) {
				for range th.random.IntN(20) {
					th.act()
				}
			})
			if th.random.IntN(4) > 0 {
				continue
			}
			assert.Equal(t, len(th.executing), th.seatsInUse(), "seed %d", seed)
			assert.Equal(t, th.most, th.set.ResetDemand().HighWatermark, "seed %d", seed)
			th.most = len(th.executing)
		}
	}
}

// Nine busy threads used 11 to 14 seats at once, it was said. The limits make the Set stay
// open, close at times, and stay closed.
func TestNoReadingExceedsTheNumberOfThreads(t *testing.T) {
	const count = 9
	for name, limit := range map[string]int{"enough seats": 100, "hardly enough": count, "too few": 5} {
		t.Run(name, func(t *testing.T) {
			layout := stats.NewLayout(4)
			set, err := queueset.New(clock.NewReal(), layout, queues(8, 2, 50), limits(limit))
			require.NoError(t, err)
			series, hasher := layout.NewSeries("level", "schema"), flow.NewHasher("schema", new(flow.HashCache))
			var running sync.WaitGroup
			for i := range count {
				running.Go(func() {
					for n := range lane.Pick(3000, 100000) {
						r := queueset.NewRequest(uint32(i + n))
						r.Hasher, r.Series, r.Work = hasher, series, wide(1)
						if set.Arrive(r) == queueset.Waiting {
							<-r.Ready()
						}
						set.Finish(r)
					}
				})
			}
			ended := make(chan struct{})
			go func() {
				running.Wait()
				close(ended)
			}()
			read := 0
			for more := true; more || read < 10; read++ {
				select {
				case <-ended:
					more = false
				default:
				}
				figures := set.Figures()
				assert.LessOrEqual(t, figures.SeatsInUse, min(count, limit))
				assert.LessOrEqual(t, figures.Executing, min(count, limit))
				assert.LessOrEqual(t, figures.Executing+figures.Waiting, count)
				assert.GreaterOrEqual(t, figures.SeatsInUse, 0)
				assert.LessOrEqual(t, set.ResetDemand().HighWatermark, count)
				runtime.Gosched()
			}
			assert.Zero(t, set.Figures().SeatsInUse)
		})
	}
}
