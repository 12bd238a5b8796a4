package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// fixture is a level and the dependencies of its requests.
type fixture struct {
	t      *testing.T
	clock  *clock.Fake
	level  *level
	series *stats.Series
}

func newFixture(t *testing.T, config LevelConfig, seats int) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clock.NewFake(time.Unix(0, 0))}
	layout := stats.NewLayout(2)
	f.series = layout.NewSeries(config.Name, "schema")
	require.NoError(t, config.Validate())
	var err error
	f.level, err = newLevel(f.clock, layout, config, nominal(seats), current(seats))
	require.NoError(t, err)
	return f
}

func (f *fixture) arrive(expected queueset.Outcome) *queueset.Request {
	f.t.Helper()
	r := queueset.NewRequest(0)
	r.Series, r.Work = f.series, seats.Work{Initial: 1}
	require.Equal(f.t, expected, f.level.set.Arrive(r))
	return r
}

func dispatched(r *queueset.Request) bool {
	select {
	case <-r.Ready():
		return true
	default:
		return false
	}
}

func queuing(queues int) LevelConfig {
	return LevelConfig{
		Name:   "level",
		UID:    "uid",
		Config: queueset.Config{Discipline: queueset.Queue, Queues: queues, HandSize: 1, QueueLengthLimit: 10},
		Share:  allocation.Share{Shares: 10},
	}
}

func nominal(n int) allocation.Limits { return allocation.Limits{Nominal: n, Lower: n, Upper: n} }

func current(n int) LevelSeats {
	return LevelSeats{Current: n, Target: float64(n), Total: 100}
}

func TestALevelThatQuiescesDrainsWhenItsLastRequestHasEnded(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	running, waiting := f.arrive(queueset.Seated), f.arrive(queueset.Waiting)
	calls := 0
	f.level.quiesce(func() { calls++ })
	assert.True(t, f.level.report().Quiescing)
	assert.False(t, f.level.drained())

	f.level.set.Finish(running)
	require.True(t, dispatched(waiting), "who waits is served to the end")
	assert.False(t, f.level.drained())
	before := calls
	f.level.set.Finish(waiting)
	assert.Greater(t, calls, before, "the end of the last request is told")
	assert.True(t, f.level.drained())
}

func TestALevelThatDoesNotQuiesceIsNeverDrained(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	assert.False(t, f.level.drained())
}

// A request may have been classified before the level was removed.
func TestADrainedLevelStillServesUnderItsLimit(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.level.quiesce(func() {})
	require.True(t, f.level.drained())
	late := f.arrive(queueset.Seated)
	assert.False(t, f.level.drained())
	f.arrive(queueset.Waiting)
	f.level.set.Finish(late)
}

func TestALevelThatComesBackResumesAndTellsNobody(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	running, waiting := f.arrive(queueset.Seated), f.arrive(queueset.Waiting)
	calls := 0
	f.level.quiesce(func() { calls++ })
	changed := queuing(8)
	changed.UID = "uid of another object"
	_, err := f.level.configure(changed, nominal(1), current(1))
	require.NoError(t, err)
	assert.Equal(t, changed, f.level.configuration())
	assert.False(t, f.level.report().Quiescing)

	f.level.set.Finish(running)
	require.True(t, dispatched(waiting), "nobody was lost")
	f.level.set.Finish(waiting)
	assert.False(t, f.level.drained())
	assert.Zero(t, calls)
}

func TestLimitsReachThoseWhoWaitAtOnce(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.arrive(queueset.Seated)
	first, second := f.arrive(queueset.Waiting), f.arrive(queueset.Waiting)
	f.level.divide(nominal(1), current(2))
	assert.NotEqual(t, dispatched(first), dispatched(second), "one more seat is one more request")
	report := f.level.report()
	assert.Equal(t, nominal(1), report.Limits)
	assert.Equal(t, current(2), report.Seats)

	_, err := f.level.configure(f.level.configuration(), nominal(3), current(3))
	require.NoError(t, err)
	assert.Equal(t, 3, f.level.report().Figures.SeatsInUse)
}

func TestAConfigurationThatQueuesCannotHaveChangesNothing(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.level.quiesce(func() {})
	_, err := f.level.configure(queuing(0), nominal(5), current(5))
	require.Error(t, err)
	report := f.level.report()
	assert.Equal(t, queuing(4), report.Config)
	assert.Equal(t, current(1), report.Seats)
	assert.True(t, report.Quiescing)
}

func TestDemandIsThatOfTheLastCompletePeriodAndSmoothed(t *testing.T) {
	f := newFixture(t, queuing(4), 2)
	running := []*queueset.Request{f.arrive(queueset.Seated), f.arrive(queueset.Seated)}
	waiting := f.arrive(queueset.Waiting)
	f.clock.Advance(5 * time.Second)
	assert.Zero(t, f.level.claim(nominal(2)).HighWatermark, "the period is not over")
	for _, r := range running {
		f.level.set.Finish(r)
	}
	f.level.set.Finish(waiting)
	f.clock.Advance(5 * time.Second)
	f.level.endPeriod()

	claim := f.level.claim(nominal(7))
	assert.InDelta(t, 3, claim.HighWatermark, 1e-9, "two seats in use and one asked for")
	assert.InDelta(t, 1.5+1.5, claim.Smoothed, 1e-6, "average and deviation of 3 for half of the time")
	assert.Equal(t, nominal(7), claim.Limits)
	assert.False(t, claim.Exempt)

	f.clock.Advance(10 * time.Second)
	f.level.endPeriod()
	claim = f.level.claim(nominal(7))
	assert.Zero(t, claim.HighWatermark, "nobody came")
	assert.InDelta(t, 3*0.977, claim.Smoothed, 1e-6, "what was asked for is forgotten slowly")
	assert.InDelta(t, claim.Smoothed, f.level.report().Smoothed, 0)
}

func TestDemandIsShownAsAShareOfTheCurrentLimit(t *testing.T) {
	f := newFixture(t, queuing(4), 10)
	f.level.divide(nominal(10), current(20))
	for range 10 {
		f.arrive(queueset.Seated)
	}
	f.clock.Advance(time.Second)
	demand := f.level.report().Figures.DemandShare
	assert.InDelta(t, 0.5*1e9, demand.Sum, 1)
}

func TestWidthIsBoundedByTheNominalLimitAndTheHand(t *testing.T) {
	for name, c := range map[string]struct {
		hand, nominal, expected int
	}{
		"15 % of the nominal limit, rounded up":         {1, 41, 7},
		"and the hand's part of it":                     {8, 41, 5},
		"one at least":                                  {8, 3, 1},
		"also where there is no seat without borrowing": {8, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			config := queuing(64)
			config.HandSize = c.hand
			f := newFixture(t, config, c.nominal)
			assert.Equal(t, c.expected, f.level.widest())
			f.level.divide(nominal(100), current(1))
			assert.Equal(t, min(15, 100/c.hand), f.level.widest(), "it follows the nominal limit, not the current one")
		})
	}
	rejecting := queuing(1)
	rejecting.Config = queueset.Config{Discipline: queueset.Reject}
	assert.Zero(t, newFixture(t, rejecting, 10).level.widest(), "nothing waits for the seats of a wide request")
}

func TestAnExemptLevelClaimsAsOne(t *testing.T) {
	config := LevelConfig{Name: rules.Exempt, Config: queueset.Config{Discipline: queueset.Exempt}}
	f := newFixture(t, config, 0)
	f.arrive(queueset.Seated)
	assert.True(t, f.level.claim(nominal(0)).Exempt)
}
