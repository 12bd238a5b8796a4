package stats_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

func TestASeriesCountsWhatBecameOfRequests(t *testing.T) {
	s := stats.NewLayout().NewSeries("level", "schema")
	assert.False(t, s.Used())
	s.Estimated(1)
	s.Estimated(10)
	s.Estimated(25)
	s.Started(1, stats.Queued)
	s.Started(2, stats.Unqueued)
	s.Started(3, stats.Ungoverned)
	s.Enqueued(2, 11)
	s.Enqueued(4, 10)
	s.Enqueued(1, 2000)
	s.Dispatched(2, 2, 7*time.Millisecond)
	s.Left(4, time.Minute, stats.TimeOut)
	s.Rejected(stats.QueueFull)
	s.NotAccommodated()
	s.WatchCount(10)
	s.Finished(time.Second, false, 1)
	s.Finished(31*time.Second, true, 0)
	s.Released(2)

	got := s.Snapshot()
	assert.True(t, s.Used())
	assert.EqualValues(t, 4, got.Dispatched)
	assert.Equal(t, [stats.Reasons]uint64{stats.QueueFull: 1, stats.TimeOut: 1}, got.Rejected)
	assert.EqualValues(t, 2, got.ExecutingRequests)
	assert.EqualValues(t, 5, got.ExecutingSeats)
	assert.EqualValues(t, 1, got.InQueueRequests)
	assert.EqualValues(t, 1, got.InQueueSeats)
	assert.EqualValues(t, 1, got.NoAccommodation)
	for name, c := range map[string]struct {
		got    stats.Distribution
		counts map[float64]uint64 // by upper bound; 0 is 1e9 for the last
		sum    float64
	}{
		"seats":            {got.EstimatedSeats, map[float64]uint64{1: 1, 10: 1, 1e9: 1}, 36},
		"queue length":     {got.QueueLength, map[float64]uint64{10: 2, 25: 1, 1e9: 1}, 2022},
		"waits admitted":   {got.WaitAdmitted, map[float64]uint64{0: 2, 0.02: 1, 1e9: 1}, 60.007},
		"waits rejected":   {got.WaitRejected, map[float64]uint64{0: 1}, 0},
		"watches":          {got.WatchCount, map[float64]uint64{10: 1}, 10},
		"execution":        {got.ExecutionRegular, map[float64]uint64{1: 1}, 1},
		"watch executions": {got.ExecutionWatch, map[float64]uint64{1e9: 1}, 31},
	} {
		assert.InDelta(t, c.sum, c.got.Sum, 1e-9, name)
		counts := map[float64]uint64{}
		for i, n := range c.got.Counts {
			if n > 0 {
				counts[append(append([]float64{}, c.got.Bounds...), 1e9)[i]] = n
			}
		}
		assert.Equal(t, c.counts, counts, name)
	}
}

func TestSnapshotsNeverShowMoreFinishedThanDispatched(t *testing.T) {
	s := stats.NewLayout().NewSeries("level", "schema")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 5000 {
				s.Started(1, stats.Queued)
				s.Finished(time.Millisecond, false, 1)
			}
		})
	}
	for range 200 {
		got := s.Snapshot()
		require.GreaterOrEqual(t, got.ExecutingRequests, int64(0))
		require.GreaterOrEqual(t, got.ExecutingSeats, int64(0))
	}
	writers.Wait()
	assert.Zero(t, s.Snapshot().ExecutingRequests)
	assert.Zero(t, s.Snapshot().ExecutingSeats)
}

// The buckets must be the same as with a floating-point division and comparison, which the library
// uses.
func TestATimeWeightedHistogramAgreesWithDivision(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	bounds := []float64{0, 0.1, 0.2, 0.29, 0.57, 0.7, 0.95, 1, 1.1, 2.8}
	now := 3 * time.Second
	h := stats.NewTimeWeighted(bounds, now)
	counts, sum := make([]uint64, len(bounds)+1), 0.0
	numerator, denominator := 0, 1.0
	for range 5000 {
		d := time.Duration(random.IntN(1000))
		now += d
		ratio := float64(numerator) / denominator
		counts[sort.SearchFloat64s(bounds, ratio)] += uint64(d)
		sum += ratio * float64(d)
		if random.IntN(20) == 0 {
			denominator = float64(1 + random.IntN(100))
			h.SetDenominator(now, denominator)
		} else {
			numerator = random.IntN(300)
			h.Set(now, numerator)
		}
	}
	got := h.Snapshot(now)
	assert.Equal(t, counts, got.Counts)
	assert.InEpsilon(t, sum, got.Sum, 1e-9)
	h.Set(now-time.Hour, 5)
	assert.Equal(t, counts, h.Snapshot(now).Counts, "time does not run back")
	h.SetDenominator(now, 0)
	h.SetDenominator(now, -3)
	later := h.Snapshot(now + 1)
	assert.Equal(t, got.Count()+1, later.Count())
}

// A level may have ten million queues of 2^31-1 requests each. A float64 cannot
// represent that number exactly.
func TestADenominatorBeyondWhatFloatsCountIsJustLarge(t *testing.T) {
	h := stats.NewTimeWeighted([]float64{0, 0.001, 0.5, 1}, 0)
	h.SetDenominator(0, 1e7*math.MaxInt32)
	h.Set(0, 5)
	assert.Equal(t, []uint64{0, 7, 0, 0, 0}, h.Snapshot(7).Counts)
}

func TestASeriesTakesNoMoreThanItsBound(t *testing.T) {
	assert.LessOrEqual(t, stats.FullSeriesBytes(), stats.MaxSeriesBytes)
}

func TestASeriesIsBusyWhileARequestIsUnderWay(t *testing.T) {
	s := stats.NewLayout().NewSeries("level", "schema")
	assert.False(t, s.Busy())
	s.Enqueued(2, 1)
	assert.True(t, s.Busy())
	s.Dispatched(2, 2, time.Second)
	assert.True(t, s.Busy())
	s.Finished(time.Second, false, 1)
	assert.True(t, s.Busy(), "a seat is held for the additional latency")
	s.Released(1)
	assert.False(t, s.Busy())
	s.Started(1, stats.Ungoverned)
	assert.True(t, s.Busy())
	s.Finished(time.Second, true, 1)
	assert.False(t, s.Busy())
	s.Rejected(stats.QueueFull)
	assert.False(t, s.Busy())
}
