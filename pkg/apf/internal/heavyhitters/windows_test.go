package heavyhitters

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

const second = int64(time.Second) // of one seat

func flowNamed(name string) Flow { return Flow{Schema: "schema", Distinguisher: name} }

// used returns what a flow used in each window.
func used(w *Windows, now time.Duration, f Flow) (seatSeconds [WindowCount]float64) {
	for _, use := range w.Report(now) {
		if use.Flow == f {
			for i, u := range use.Windows {
				seatSeconds[i] = u.SeatSeconds
			}
		}
	}
	return seatSeconds
}

func TestUsageLeavesEachWindowInTurn(t *testing.T) {
	w := NewWindows()
	alice := flowNamed("alice")
	w.Add(100*time.Second, alice, 30*second) // in the quarter minute from 90 to 105 s
	for _, test := range []struct {
		name string
		now  time.Duration
		want [WindowCount]float64
	}{
		{"at once", 100 * time.Second, [WindowCount]float64{30, 30, 30}},
		{"while the quarter is in the last minute", 150 * time.Second, [WindowCount]float64{30, 30, 30}},
		{"a third of the quarter is over a minute ago", 155 * time.Second, [WindowCount]float64{20, 30, 30}},
		{"the quarter is over a minute ago", 165 * time.Second, [WindowCount]float64{0, 30, 30}},
		{"the minute is in the last five", 360 * time.Second, [WindowCount]float64{0, 30, 30}},
		{"a half of the minute is over five minutes ago", 390 * time.Second, [WindowCount]float64{0, 15, 30}},
		{"the minute is over five minutes ago", 420 * time.Second, [WindowCount]float64{0, 0, 30}},
		{"a half of the minute is over 15 minutes ago", 990 * time.Second, [WindowCount]float64{0, 0, 15}},
		{"the minute is over 15 minutes ago", 1020 * time.Second, [WindowCount]float64{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.InDeltaSlice(t, test.want[:], sliceOf(used(w, test.now, alice)), 1e-6)
			assert.Equal(t, test.want == [WindowCount]float64{}, w.Empty(test.now))
		})
	}
}

func sliceOf(values [WindowCount]float64) []float64 { return values[:] }

func TestConstantUseIsMeasuredExactlyAtAnyTime(t *testing.T) {
	w := NewWindows()
	alice := flowNamed("alice")
	for now := time.Second; now <= 40*time.Minute; now += time.Second {
		w.Add(now-time.Millisecond, alice, 2*second)
		if now > 17*time.Minute && now%(7*time.Second) == 0 {
			assert.InDeltaSlice(t, []float64{120, 600, 1800}, sliceOf(used(w, now, alice)), 1e-6, "%v", now)
		}
	}
}

func TestAFlowThatReturnsAfterHoursHasOnlyItsNewUse(t *testing.T) {
	for _, pause := range []time.Duration{16 * time.Minute, 5 * time.Hour} {
		w := NewWindows()
		alice := flowNamed("alice")
		w.Add(time.Second, alice, 7*second)
		w.Add(time.Second+pause, alice, second)
		assert.Equal(t, [WindowCount]float64{1, 1, 1}, used(w, 2*time.Second+pause, alice), "%v", pause)
	}
}

func TestEveryFlowIsExactWhileThereAreFew(t *testing.T) {
	w := NewWindows()
	for i := range 10 * Counters {
		w.Add(time.Duration(i)*40*time.Millisecond, flowNamed(fmt.Sprint(i%Counters)), int64(i%Counters+1)*second)
	}
	report := w.Report(40 * time.Second)
	require.Len(t, report, Counters)
	for i, use := range report {
		assert.Equal(t, fmt.Sprint(Counters-1-i), use.Distinguisher, "the heaviest comes first")
		for _, u := range use.Windows {
			assert.Equal(t, Usage{SeatSeconds: float64(10 * (Counters - i))}, u)
		}
	}
}

// truth counts exactly, by quarter minute.
type truth map[Flow]map[int64]int64

func (u truth) add(at time.Duration, f Flow, weight int64) {
	if u[f] == nil {
		u[f] = map[int64]int64{}
	}
	u[f][int64(at/quarter)] += weight
}

// seatSeconds returns what a flow used since a quarter minute.
func (u truth) seatSeconds(f Flow, since int64) float64 {
	sum := int64(0)
	for number, weight := range u[f] {
		if number >= since {
			sum += weight
		}
	}
	return float64(sum) / 1e9
}

func TestErrorIsAtMostOnePercentOfTheLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 1))
	for _, c := range []struct {
		name  string
		flows int
		draw  func(n int) int
	}{
		{"all flows are alike", 5000, random.IntN},
		{"a few flows use most", 5000, func(n int) int {
			return int(float64(n) * random.Float64() * random.Float64() * random.Float64() * random.Float64())
		}},
		{"a few flows more than counters", Counters + 5, random.IntN},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, exact := NewWindows(), truth{}
			for i := range 40000 {
				at := time.Duration(i) * 25 * time.Millisecond // 1000 s in all
				f, weight := flowNamed(fmt.Sprint(c.draw(c.flows))), random.Int64N(second)
				w.Add(at, f, weight)
				exact.add(at, f, weight)
			}
			// At the end of a minute each window is of whole periods.
			now := 17 * time.Minute
			for window, minutes := range []int64{1, 5, 15} {
				requireAccurate(t, w.Report(now), exact, Window(window), int64(now/quarter)-quarters*minutes)
			}
		})
	}
}

func requireAccurate(t *testing.T, report []Use, exact truth, window Window, since int64) {
	t.Helper()
	total, listed := 0.0, map[Flow]bool{}
	for f := range exact {
		total += exact.seatSeconds(f, since)
	}
	for _, use := range report {
		listed[use.Flow] = true
		got, want := use.Windows[window], exact.seatSeconds(use.Flow, since)
		require.LessOrEqual(t, want, got.SeatSeconds+1e-5, "%v", use)
		require.GreaterOrEqual(t, want, got.SeatSeconds-got.Error-1e-5, "%v", use)
		require.LessOrEqual(t, got.Error, total/Counters+1e-5)
	}
	for f := range exact {
		if exact.seatSeconds(f, since) > total/Counters {
			require.True(t, listed[f], "%v used more than 1 %% and is not listed", f)
		}
	}
}

func TestHeaviestIsTheShareOfTheLastMinute(t *testing.T) {
	w := NewWindows()
	assert.Zero(t, w.Heaviest(0))
	w.Add(time.Second, flowNamed("alice"), 3*second)
	w.Add(time.Second, flowNamed("bob"), second)
	assert.InDelta(t, 0.75, w.Heaviest(2*time.Second), 1e-9)
	assert.Zero(t, w.Heaviest(5*time.Minute))
}

func TestNamesTakeBoundedMemory(t *testing.T) {
	w := NewWindows()
	long := strings.Repeat("x", 1<<20)
	w.Add(0, flowNamed(long+"1"), second)
	w.Add(0, flowNamed(long+"2"), second)
	report := w.Report(0)
	require.Len(t, report, 2, "flows differ also beyond the bytes that are kept")
	for _, use := range report {
		assert.Len(t, use.Distinguisher, maxDistinguisher)
	}
}

func TestCountingDoesNotAllocate(t *testing.T) {
	for _, flows := range []int{1, Counters, 20 * Counters} {
		t.Run(fmt.Sprint(flows), func(t *testing.T) {
			names := make([]Flow, flows)
			for i := range names {
				names[i] = flowNamed(fmt.Sprint("user", i))
			}
			w, n := NewWindows(), 0
			add := func() {
				w.Add(0, names[n%flows], second)
				n++
			}
			for range 2 * flows {
				add()
			}
			assert.Zero(t, testing.AllocsPerRun(1000, add))
		})
	}
}

func TestNothingUsedIsNotCounted(t *testing.T) {
	w := NewWindows()
	w.Add(0, flowNamed("alice"), 0)
	w.Add(0, flowNamed("alice"), -second)
	assert.Empty(t, w.Report(0))
	assert.True(t, w.Empty(0))
}
