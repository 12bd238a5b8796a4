package prioritylevel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// fixture is a level and the dependencies of its requests.
type fixture struct {
	t      *testing.T
	clock  *clock.Fake
	level  *prioritylevel.Level
	series *stats.Series
}

func newFixture(t *testing.T, config prioritylevel.Config, seats int) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clock.NewFake(time.Unix(0, 0))}
	layout := stats.NewLayout(2)
	f.series = layout.NewSeries(config.Name, "schema")
	require.NoError(t, config.Validate())
	var err error
	f.level, err = prioritylevel.New(f.clock, layout, config, nominal(seats), current(seats))
	require.NoError(t, err)
	return f
}

func (f *fixture) arrive(expected queueset.Outcome) *queueset.Request {
	f.t.Helper()
	r := queueset.NewRequest(0)
	r.Series, r.Work = f.series, seats.Work{Initial: 1}
	require.Equal(f.t, expected, f.level.Set().Arrive(r))
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

func queuing(queues int) prioritylevel.Config {
	return prioritylevel.Config{
		Name:   "level",
		UID:    "uid",
		Config: queueset.Config{Discipline: queueset.Queue, Queues: queues, HandSize: 1, QueueLengthLimit: 10},
		Share:  allocation.Share{Shares: 10},
	}
}

func nominal(n int) allocation.Limits { return allocation.Limits{Nominal: n, Lower: n, Upper: n} }

func current(n int) prioritylevel.Division {
	return prioritylevel.Division{Current: n, Target: float64(n), Total: 100}
}

func TestALevelThatQuiescesDrainsWhenItsLastRequestHasEnded(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	running, waiting := f.arrive(queueset.Seated), f.arrive(queueset.Waiting)
	calls := 0
	f.level.Quiesce(func() { calls++ })
	assert.True(t, f.level.Report().Quiescing)
	assert.False(t, f.level.Drained())

	f.level.Set().Finish(running)
	require.True(t, dispatched(waiting), "who waits is served to the end")
	assert.False(t, f.level.Drained())
	before := calls
	f.level.Set().Finish(waiting)
	assert.Greater(t, calls, before, "the end of the last request is told")
	assert.True(t, f.level.Drained())
}

func TestALevelThatDoesNotQuiesceIsNeverDrained(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	assert.False(t, f.level.Drained())
}

// A request may have been classified before the level was removed.
func TestADrainedLevelStillServesUnderItsLimit(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.level.Quiesce(func() {})
	require.True(t, f.level.Drained())
	late := f.arrive(queueset.Seated)
	assert.False(t, f.level.Drained())
	f.arrive(queueset.Waiting)
	f.level.Set().Finish(late)
}

func TestALevelThatComesBackResumesAndTellsNobody(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	running, waiting := f.arrive(queueset.Seated), f.arrive(queueset.Waiting)
	calls := 0
	f.level.Quiesce(func() { calls++ })
	changed := queuing(8)
	changed.UID = "uid of another object"
	require.NoError(t, f.level.Configure(changed, nominal(1), current(1)))
	assert.Equal(t, changed, f.level.Config())
	assert.False(t, f.level.Report().Quiescing)

	f.level.Set().Finish(running)
	require.True(t, dispatched(waiting), "nobody was lost")
	f.level.Set().Finish(waiting)
	assert.False(t, f.level.Drained())
	assert.Zero(t, calls)
}

func TestLimitsReachThoseWhoWaitAtOnce(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.arrive(queueset.Seated)
	first, second := f.arrive(queueset.Waiting), f.arrive(queueset.Waiting)
	f.level.Divide(nominal(1), current(2))
	assert.NotEqual(t, dispatched(first), dispatched(second), "one more seat is one more request")
	report := f.level.Report()
	assert.Equal(t, nominal(1), report.Limits)
	assert.Equal(t, current(2), report.Division)

	require.NoError(t, f.level.Configure(f.level.Config(), nominal(3), current(3)))
	assert.Equal(t, 3, f.level.Report().Figures.SeatsInUse)
}

func TestAConfigurationThatQueuesCannotHaveChangesNothing(t *testing.T) {
	f := newFixture(t, queuing(4), 1)
	f.level.Quiesce(func() {})
	require.Error(t, f.level.Configure(queuing(0), nominal(5), current(5)))
	report := f.level.Report()
	assert.Equal(t, queuing(4), report.Config)
	assert.Equal(t, current(1), report.Division)
	assert.True(t, report.Quiescing)
}

func TestDemandIsThatOfTheLastCompletePeriodAndSmoothed(t *testing.T) {
	f := newFixture(t, queuing(4), 2)
	running := []*queueset.Request{f.arrive(queueset.Seated), f.arrive(queueset.Seated)}
	waiting := f.arrive(queueset.Waiting)
	f.clock.Advance(5 * time.Second)
	assert.Zero(t, f.level.Claim(nominal(2)).HighWatermark, "the period is not over")
	for _, r := range running {
		f.level.Set().Finish(r)
	}
	f.level.Set().Finish(waiting)
	f.clock.Advance(5 * time.Second)
	f.level.EndPeriod()

	claim := f.level.Claim(nominal(7))
	assert.InDelta(t, 3, claim.HighWatermark, 1e-9, "two seats in use and one asked for")
	assert.InDelta(t, 1.5+1.5, claim.Smoothed, 1e-6, "average and deviation of 3 for half of the time")
	assert.Equal(t, nominal(7), claim.Limits)
	assert.False(t, claim.Exempt)

	f.clock.Advance(10 * time.Second)
	f.level.EndPeriod()
	claim = f.level.Claim(nominal(7))
	assert.Zero(t, claim.HighWatermark, "nobody came")
	assert.InDelta(t, 3*0.977, claim.Smoothed, 1e-6, "what was asked for is forgotten slowly")
	assert.InDelta(t, claim.Smoothed, f.level.Report().Smoothed, 0)
}

func TestDemandIsShownAsAShareOfTheCurrentLimit(t *testing.T) {
	f := newFixture(t, queuing(4), 10)
	f.level.Divide(nominal(10), current(20))
	for range 10 {
		f.arrive(queueset.Seated)
	}
	f.clock.Advance(time.Second)
	demand := f.level.Report().Figures.DemandShare
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
			assert.Equal(t, c.expected, f.level.MaxWidth())
			f.level.Divide(nominal(100), current(1))
			assert.Equal(t, min(15, 100/c.hand), f.level.MaxWidth(), "it follows the nominal limit, not the current one")
		})
	}
	rejecting := queuing(1)
	rejecting.Config = queueset.Config{Discipline: queueset.Reject}
	assert.Zero(t, newFixture(t, rejecting, 10).level.MaxWidth(), "nothing waits for the seats of a wide request")
}

func TestAnExemptLevelClaimsAsOne(t *testing.T) {
	config := prioritylevel.Config{Name: mandatory.Exempt, Config: queueset.Config{Discipline: queueset.Exempt}}
	f := newFixture(t, config, 0)
	f.arrive(queueset.Seated)
	assert.True(t, f.level.Claim(nominal(0)).Exempt)
}
