package total

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// site is an engine of 100 seats in virtual time, the level "queue" has 50, the level "reject" 40,
// and catch-all 10. No level lends.
type site struct {
	t      *testing.T
	clock  *clock.Fake
	engine *engine.Engine
	meter  meter
}

func newSite(t *testing.T) *site {
	c := clock.NewFake(time.Unix(0, 0))
	s := &site{t: t, clock: c, engine: engine.New(engine.Options{Clock: c, Total: 100})}
	level := func(name string, shares int32, config queueset.Config) engine.LevelConfig {
		return engine.LevelConfig{Name: name, Config: config, Share: allocation.Share{Shares: shares, BorrowingLimitPercent: new(int32)}}
	}
	rejecting := queueset.Config{Discipline: queueset.Reject}
	require.Empty(t, s.engine.Apply(engine.Configuration{
		Levels: []engine.LevelConfig{
			level("queue", 50, queueset.Config{Discipline: queueset.Queue, Queues: 1, HandSize: 1, QueueLengthLimit: 100}),
			level("reject", 40, rejecting),
			level("catch-all", 10, rejecting),
		},
		Schemas: []rules.Schema{schemaOf("queue"), schemaOf("reject")},
	}))
	s.load()
	return s
}

// schemaOf returns a schema for the user with the name of the level.
func schemaOf(level string) rules.Schema {
	all := []string{rules.All}
	return rules.Schema{
		Name: level, Level: level, Precedence: 10,
		Rules: []rules.Rule{{
			Subjects:      []rules.Subject{{Kind: rules.User, Name: level}},
			ResourceRules: []rules.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, Namespaces: all, ClusterScope: true}},
		}},
	}
}

// arrive sends n requests of a user.
func (s *site) arrive(n int, user string, groups ...string) []*engine.Request {
	requests := make([]*engine.Request, n)
	for i := range requests {
		r := s.engine.Begin()
		a := &r.Attributes
		a.User, a.Groups, a.Verb, a.IsResourceRequest, a.Resource = user, slices.Concat(groups, []string{"system:authenticated"}), "get", true, "pods"
		r.Classify()
		require.NotEqual(s.t, queueset.Rejected, r.Arrive(seats.Work{Initial: 1}))
		requests[i] = r
	}
	return requests
}

func finish(requests []*engine.Request) {
	for _, r := range requests {
		r.Finish()
	}
}

// load is the load since the last call.
func (s *site) load() (use, short float64, needed int) {
	l := s.meter.load(s.engine.Levels(), s.engine.Total())
	return l.Use, l.Short, l.Needed
}

func TestUseIsTheMeanOfTheSeatsInUse(t *testing.T) {
	s := newSite(t)
	first := s.arrive(30, "queue")
	s.clock.Advance(5 * time.Second)
	second := s.arrive(10, "reject")
	finish(first)
	s.clock.Advance(5 * time.Second)
	use, short, _ := s.load()
	assert.InDelta(t, 20, use, 1e-9, "(30 + 10) / 2")
	assert.Zero(t, short)
	s.clock.Advance(5 * time.Second)
	use, _, _ = s.load()
	assert.InDelta(t, 10, use, 1e-9, "since the last call")
	finish(second)
}

func TestLevelIsShortWhileRequestsWait(t *testing.T) {
	s := newSite(t)
	running := s.arrive(50, "queue")
	waiting := s.arrive(1, "queue")
	s.clock.Advance(5 * time.Second)
	finish(running)
	s.clock.Advance(5 * time.Second)
	_, short, _ := s.load()
	assert.InDelta(t, 0.5, short, 1e-9, "half of the time, on the level with half of the seats")
	require.Equal(t, queueset.Seated, waiting[0].Wait(t.Context(), nil))
	s.clock.Advance(10 * time.Second)
	_, short, _ = s.load()
	assert.Zero(t, short)
	finish(waiting)
}

func TestLevelIsShortWhileSeatsAreKeptForAWideRequest(t *testing.T) {
	s := newSite(t)
	running := s.arrive(45, "queue")
	wide := s.engine.Begin()
	wide.Attributes = running[0].Attributes
	wide.Classify()
	require.Equal(t, queueset.Waiting, wide.Arrive(seats.Work{Initial: 10}))
	s.clock.Advance(10 * time.Second)
	_, short, _ := s.load()
	assert.InDelta(t, 0.5, short, 1e-9, "although not all seats are in use")
	finish(running)
	require.Equal(t, queueset.Seated, wide.Wait(t.Context(), nil))
	wide.Finish()
}

func TestLevelIsShortWhileAllItsSeatsAreInUse(t *testing.T) {
	s := newSite(t)
	all := s.arrive(40, "reject")
	s.clock.Advance(4 * time.Second)
	finish(all[:1])
	s.clock.Advance(6 * time.Second)
	_, short, _ := s.load()
	assert.Zero(t, short, "for less than half of the time")
	again := s.arrive(1, "reject")
	s.clock.Advance(10 * time.Second)
	_, short, _ = s.load()
	assert.InDelta(t, 0.4, short, 1e-9)
	finish(append(all[1:], again...))
}

func TestExemptRequestsAreNeededAndAreNoUse(t *testing.T) {
	s := newSite(t)
	_, _, needed := s.load()
	assert.Equal(t, 3, needed, "one seat of each level")
	exempt := s.arrive(60, "admin", "system:masters")
	strangers := s.arrive(7, "stranger")
	s.clock.Advance(10 * time.Second)
	s.engine.Rebalance()
	use, short, needed := s.load()
	assert.InDelta(t, 7, use, 1e-9)
	assert.Zero(t, short)
	assert.Equal(t, 60+3, needed, "the exempt level's, and one of each other level")
	finish(append(exempt, strangers...))
}

func TestLevelsThatComeAndGoDoNotCountAtOnce(t *testing.T) {
	s := newSite(t)
	s.meter.levels["reject"] = usage{elapsed: 1 << 60}
	delete(s.meter.levels, "queue")
	running := append(s.arrive(50, "queue"), s.arrive(40, "reject")...)
	s.clock.Advance(10 * time.Second)
	use, short, _ := s.load()
	assert.Zero(t, use)
	assert.Zero(t, short)
	s.clock.Advance(10 * time.Second)
	use, short, _ = s.load()
	assert.InDelta(t, 90, use, 1e-9)
	assert.InDelta(t, 0.9, short, 1e-9)
	finish(running)
}

func TestServerWithoutSeatsHasNoLoad(t *testing.T) {
	s := newSite(t)
	s.engine.SetTotal(0)
	s.clock.Advance(10 * time.Second)
	use, short, needed := s.load()
	assert.Zero(t, use)
	assert.Zero(t, short)
	assert.Zero(t, needed)
}
