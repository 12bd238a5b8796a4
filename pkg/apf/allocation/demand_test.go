package allocation

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	testclock "k8s.io/utils/clock/testing"
)

type step struct {
	at    time.Duration
	seats int
}

func run(start time.Duration, steps []step, end time.Duration) (DemandTracker, DemandPeriod) {
	tracker := NewDemandTracker(start)
	for _, s := range steps {
		tracker.Set(s.at, s.seats)
	}
	period := tracker.Reset(end)
	return tracker, period
}

func TestPeriod(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		start time.Duration
		steps []step
		end   time.Duration
		want  DemandPeriod
	}{
		"no demand at all is zero": {
			end: 10 * second, want: DemandPeriod{Duration: 10 * second},
		},
		"demand is weighted by the time it lasts": {
			steps: []step{{2 * second, 10}, {6 * second, 0}}, end: 8 * second,
			want: DemandPeriod{Duration: 8 * second, Average: 5, Deviation: 5, HighWatermark: 10},
		},
		"a peak of no duration is a high-water mark and weighs nothing": {
			steps: []step{{4 * second, 100}, {4 * second, 0}}, end: 8 * second,
			want: DemandPeriod{Duration: 8 * second, HighWatermark: 100},
		},
		"a period of zero length has a high-water mark only (120032, 120090)": {
			start: 5 * second, steps: []step{{5 * second, 7}, {5 * second, 3}}, end: 5 * second,
			want: DemandPeriod{HighWatermark: 7},
		},
		"a clock that stands still gives no average (120032, 120090)": {
			start: 5 * second, steps: []step{{5 * second, 7}}, end: 5 * second,
			want: DemandPeriod{HighWatermark: 7},
		},
		"a clock that goes back loses the time, not the demand": {
			start: 100 * second, steps: []step{{100 * second, 4}, {102 * second, 4}, {50 * second, 8}}, end: 52 * second,
			want: DemandPeriod{Duration: 4 * second, Average: 6, Deviation: 2, HighWatermark: 8},
		},
		"a period that ends before it starts has no length": {
			start: 100 * second, steps: []step{{100 * second, 4}}, end: 90 * second,
			want: DemandPeriod{HighWatermark: 4},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := run(c.start, c.steps, c.end)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestDemandOutlivesThePeriod(t *testing.T) {
	tracker := NewDemandTracker(0)
	tracker.Add(0, 9)
	tracker.Add(time.Second, -2)
	require.Equal(t, 9, tracker.Reset(2*time.Second).HighWatermark)
	assert.Equal(t, 7, tracker.Seats())
	assert.Equal(t, DemandPeriod{Duration: time.Second, Average: 7, HighWatermark: 7}, tracker.Reset(3*time.Second))
}

func TestDeviationOfUnchangedDemandIsExactlyZero(t *testing.T) {
	tracker := NewDemandTracker(0)
	tracker.Set(0, 1_000_003)
	tracker.Reset(1)
	now := time.Duration(1)
	for range 1000 {
		now += 7_777_777
		tracker.Set(now, 1_000_003)
	}
	period := tracker.Reset(now)
	assert.Zero(t, period.Deviation)
	assert.Equal(t, 1_000_003.0, period.Average)
}

func TestTrackerAgreesWithPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		clock := testclock.NewFakeClock(time.Unix(1000, 0))
		peer := fairqueuing.NewNamedIntegrator(clock, "peer")
		now := time.Duration(0)
		tracker := NewDemandTracker(now)
		for range 3 {
			for range random.IntN(50) {
				dt := time.Duration(random.IntN(int(time.Second)))
				now += dt
				clock.Step(dt)
				seats := random.IntN(700)
				peer.Set(float64(seats))
				tracker.Set(now, seats)
			}
			now += time.Second
			clock.Step(time.Second)
			want, got := peer.Reset(), tracker.Reset(now)
			require.InDelta(t, want.Duration, got.Duration.Seconds(), 1e-6)
			require.InDelta(t, want.Average, got.Average, 1e-6)
			if !math.IsNaN(want.Deviation) {
				require.InDelta(t, want.Deviation, got.Deviation, 1e-4)
			}
			require.Equal(t, int(want.Max), got.HighWatermark)
		}
	}
}

func TestPeriodIsAlwaysSane(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	tracker := NewDemandTracker(0)
	for range 20000 {
		now := time.Duration(random.Int64N(int64(time.Minute))) - 30*time.Second
		tracker.Set(now, random.IntN(1000))
		if random.IntN(10) == 0 {
			p := tracker.Reset(now + time.Duration(random.IntN(5)-2))
			require.False(t, math.IsNaN(p.Average) || math.IsNaN(p.Deviation), "%+v", p)
			require.GreaterOrEqual(t, p.Deviation, 0.0)
			require.GreaterOrEqual(t, p.Average, -1e-9)
			require.LessOrEqual(t, p.Average, float64(p.HighWatermark)+1e-6)
		}
	}
}

func TestSmooth(t *testing.T) {
	for name, c := range map[string]struct {
		previous float64
		period   DemandPeriod
		want     float64
	}{
		"a rise is believed at once": {
			previous: 3, period: DemandPeriod{Duration: time.Second, Average: 10, Deviation: 2}, want: 12,
		},
		"a fall is forgotten slowly": {
			previous: 100, period: DemandPeriod{Duration: time.Second, Average: 10}, want: 0.977*100 + 0.023*10,
		},
		"a period without any time changes nothing (120032, 120090)": {
			previous: 42, period: DemandPeriod{HighWatermark: 900}, want: 42,
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.InDelta(t, c.want, SmoothDemand(c.previous, c.period), 1e-12)
		})
	}
}

func TestHalfLifeIsFiveMinutes(t *testing.T) {
	smoothed := 1.0
	for range 30 {
		smoothed = SmoothDemand(smoothed, DemandPeriod{Duration: 10 * time.Second})
	}
	assert.InDelta(t, 0.5, smoothed, 0.01)
	assert.InDelta(t, 30, math.Ln2/-math.Log(decay), 0.5)
}
