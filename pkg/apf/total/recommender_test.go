package total

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// fakeEngine has one level, which uses all seats and has waiting requests since it exists.
type fakeEngine struct {
	seats int
	set   []int // by SetTotal
	since time.Time
}

func (e *fakeEngine) Levels() []engine.LevelReport {
	elapsed := uint64(time.Since(e.since)) + 1
	return []engine.LevelReport{{
		Config: engine.LevelConfig{Name: "a", Config: queueset.Config{Discipline: queueset.Queue}},
		Seats:  engine.LevelSeats{Current: e.seats},
		Figures: queueset.Figures{
			SeatShare:    stats.Distribution{Bounds: []float64{0.99}, Counts: []uint64{0, elapsed}, Sum: float64(elapsed)},
			WaitingShare: stats.Distribution{Bounds: []float64{0}, Counts: []uint64{0, elapsed}},
		},
	}}
}

func (e *fakeEngine) Total() int { return e.seats }

func (e *fakeEngine) SetTotal(seats int) {
	e.seats = seats
	e.set = append(e.set, seats)
}

// fakeSampler returns the results of a function of the number of the call.
type fakeSampler struct {
	calls  int
	sample func(call int) Sample
}

func (s *fakeSampler) Sample() Sample {
	s.calls++
	return s.sample(s.calls)
}

func latency(seconds float64) func(int) Sample {
	return func(int) Sample { return Sample{SchedulingLatency: {Value: seconds}} }
}

// outcome is what a run did.
type outcome struct {
	engine  *fakeEngine
	sampler *fakeSampler
	status  Status
	logged  []string
}

// runFor runs a Recommender of 1000 seats in virtual time.
func runFor(t *testing.T, d time.Duration, options Options, sample func(int) Sample) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		o.engine, o.sampler = &fakeEngine{seats: 1000, since: time.Now()}, &fakeSampler{sample: sample}
		r, err := New(Config{
			Engine: o.engine, Sampler: o.sampler, Options: options, Clock: clock.RealClock{},
			Logger: funcr.New(func(_, line string) { o.logged = append(o.logged, line) }, funcr.Options{}),
		})
		require.NoError(t, err)
		r.Run(ctx)
		o.status = r.Status()
	})
	return o
}

func TestMonitorShowsAndChangesNothing(t *testing.T) {
	o := runFor(t, 25*time.Second, Options{Mode: Monitor}, latency(1))
	assert.Empty(t, o.engine.set)
	assert.True(t, o.status.Active)
	assert.Equal(t, 1000, o.status.InEffect)
	assert.Equal(t, 810, o.status.Recommendation.Total)
	assert.Equal(t, []Reason{SlowScheduling}, o.status.Recommendation.Reasons)
	assert.Equal(t, map[Reason]uint64{SlowScheduling: 2}, o.status.Steps)
}

func TestAdaptiveSetsTheTotal(t *testing.T) {
	o := runFor(t, 25*time.Second, Options{Mode: Adaptive}, latency(1))
	assert.Equal(t, []int{900, 810}, o.engine.set)
	assert.Equal(t, 810, o.status.InEffect)
	o = runFor(t, 25*time.Second, Options{Mode: Adaptive}, latency(0.030))
	assert.Empty(t, o.engine.set, "a recommendation that does not change sets nothing")
}

func TestMachineIsSampledEverySecondAndTheTotalStepsEveryTenSeconds(t *testing.T) {
	o := runFor(t, 100*time.Second+time.Second/2, Options{Mode: Adaptive, Max: 2000}, latency(0.001))
	assert.Equal(t, 1+100, o.sampler.calls, "and once at the start, for differences")
	assert.Len(t, o.engine.set, 10)
	assert.Equal(t, 1500, o.status.Recommendation.Total)
}

func TestChangesOfTenPercentAreLoggedOnce(t *testing.T) {
	o := runFor(t, 61*time.Second, Options{Mode: Monitor}, latency(0.001))
	require.Len(t, o.logged, 2, "of six steps of 5 %%: %q", o.logged)
	for _, part := range []string{
		`"msg"="Recommended total of seats changed"`, `"recommended"=1100`, `"previous"=1000`, `"inEffect"=1000`, `"mode"="monitor"`, `"reasons"=["seats"]`,
		`"scheduling-latency"=0.02`,
	} {
		assert.Contains(t, o.logged[0], part)
	}
	assert.Contains(t, o.logged[1], `"recommended"=1250 "previous"=1100`)
	o = runFor(t, 10*time.Minute, Options{Mode: Monitor, Min: 1000, Max: 1000}, latency(1))
	assert.Empty(t, o.logged)
}

func TestUnknownSignalIsLoggedOnce(t *testing.T) {
	broken := func(int) Sample {
		s := latency(0.001)(0)
		s[Memory] = Reading{Err: errors.New("no file memory.max")}
		s[Throttling] = Reading{Err: ErrQuiet}
		return s
	}
	o := runFor(t, time.Hour, Options{Mode: Monitor, Min: 1000, Max: 1000}, broken)
	require.Len(t, o.logged, 1)
	assert.Contains(t, o.logged[0], `"msg"="Signal of the machine is unknown; the total does not follow it" "signal"="memory" "reason"="no file memory.max"`)
}

func TestSignalThatIsLostAgainIsLoggedAgain(t *testing.T) {
	o := runFor(t, 61*time.Second, Options{Mode: Monitor, Min: 1000, Max: 1000}, func(call int) Sample {
		if call < 15 || call > 45 {
			return latency(math.NaN())(call)
		}
		return latency(0.001)(call)
	})
	require.Len(t, o.logged, 2)
	for _, line := range o.logged {
		assert.Contains(t, line, "scheduling-latency is NaN: must be between 0 and 3600")
	}
}

func TestStrangeValuesAreSurvivedAndTheTotalStays(t *testing.T) {
	o := runFor(t, 10*time.Minute, Options{Mode: Adaptive}, func(call int) Sample {
		if call <= 11 {
			return latency(1)(call)
		}
		return Sample{{Value: math.NaN()}, {Value: -1}, {Value: math.Inf(1)}}
	})
	assert.Equal(t, []int{900}, o.engine.set)
	assert.Equal(t, 900, o.status.Recommendation.Total, "the last good value")
	assert.Equal(t, []Reason{Unknown}, o.status.Recommendation.Reasons)
	unknown := 0
	for _, line := range o.logged {
		if strings.Contains(line, "unknown") {
			unknown++
		}
	}
	assert.Equal(t, 3, unknown, "once for each signal: %q", o.logged)
}

func TestSlowSamplesAreNotMadeUpFor(t *testing.T) {
	o := runFor(t, 100*time.Second, Options{Mode: Adaptive}, func(int) Sample {
		<-time.After(4 * time.Second)
		return latency(1)(0)
	})
	assert.LessOrEqual(t, len(o.engine.set), 9)
	assert.NotEmpty(t, o.engine.set)
}

func TestInvalidOptionsAreErrors(t *testing.T) {
	for name, test := range map[string]struct {
		seats   int
		options Options
		says    string
	}{
		"no seats":        {0, Options{Mode: Monitor}, "the total is 0 seats: must be at least 1"},
		"an unknown mode": {600, Options{Mode: "auto"}, "mode of the total is auto: must be one of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{Engine: &fakeEngine{seats: test.seats}, Options: test.options, Clock: clock.RealClock{}})
			assert.ErrorContains(t, err, test.says)
		})
	}
}

// reentrant is an engine that asks for the status of its recommender.
type reentrant struct {
	fakeEngine
	recommender *Recommender
}

func (e *reentrant) Total() int {
	if r := e.recommender; r != nil {
		e.recommender = nil
		r.Status()
	}
	return e.seats
}

func TestAnEngineMayAskForTheStatus(t *testing.T) {
	e := &reentrant{fakeEngine: fakeEngine{seats: 10}}
	r, err := New(Config{Engine: e, Options: Options{Mode: Monitor}, Clock: clock.RealClock{}})
	require.NoError(t, err)
	e.recommender = r
	eventually.Returns(t, "Status returns", func() { assert.Equal(t, 10, r.Status().InEffect) })
}
