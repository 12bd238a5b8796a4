package queueset_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// client is a number of threads. Each sends one request after the other and
// pauses in between.
type client struct {
	flow           string // the client's name if empty
	threads        int
	exec, think    time.Duration
	work           seats.Work
	from, until    time.Duration // when threads send; until 0 means no end
	halfUntil      time.Duration // before this only half of the threads send
	dropRejections bool          // a rejected request is not an error
}

// simulation runs clients against a Set in virtual time, on one goroutine.
type simulation struct {
	t        *testing.T
	clock    *clock.Fake
	set      *queueset.Set
	layout   *stats.Layout
	clients  []client
	hashers  []*flow.Hasher
	series   []*stats.Series
	served   []float64 // seat-seconds per client since the last call of shares
	running  map[*queueset.Request]*execution
	waiting  map[*queueset.Request]int // their clients
	rejected []int
	onWait   func(client int, r *queueset.Request) // called after r began to wait, unless nil
	onStart  func(r *queueset.Request)             // called when r starts, unless nil
}

type execution struct {
	client int
	since  time.Duration // counted from
	until  time.Duration // when it ends
	seats  int
}

func newSimulation(t *testing.T, config queueset.Config, limit int, clients ...client) *simulation {
	t.Helper()
	s := &simulation{
		t:        t,
		clock:    clock.NewFake(time.Unix(0, 0)),
		layout:   stats.NewLayout(),
		clients:  clients,
		served:   make([]float64, len(clients)),
		rejected: make([]int, len(clients)),
		running:  map[*queueset.Request]*execution{},
		waiting:  map[*queueset.Request]int{},
	}
	if config.Discipline == queueset.Queue {
		s.nameFlows(config)
	}
	var err error
	s.set, err = queueset.New(s.clock, config, limits(limit))
	require.NoError(t, err)
	for i := range clients {
		s.add(i)
	}
	return s
}

func limits(seats int) queueset.Limits {
	return queueset.Limits{Seats: seats, Denominator: max(1, seats)}
}

// nameFlows names the flows of clients without one. As far as possible, their
// hands share no queue with others.
func (s *simulation) nameFlows(config queueset.Config) {
	dealer, err := flow.NewDealer(config.Queues, config.HandSize)
	require.NoError(s.t, err)
	taken := map[int]bool{}
	for i := range s.clients {
		c := &s.clients[i]
		for try := 0; c.flow == ""; try++ {
			name := fmt.Sprintf("client%d-%d", i, try)
			hand := dealer.Deal(flow.HashOf("schema", name), nil)
			if try < 10000 && slices.ContainsFunc(hand, func(q int) bool { return taken[q] }) {
				continue
			}
			c.flow = name
			for _, q := range hand {
				taken[q] = true
			}
		}
	}
}

func (s *simulation) add(i int) {
	c := &s.clients[i]
	s.hashers = append(s.hashers, flow.NewHasher("schema", new(flow.HashCache)))
	s.series = append(s.series, s.layout.NewSeries("level", c.flow))
	for j := range c.threads {
		from := c.from
		if j >= c.threads/2 {
			from = max(from, c.halfUntil)
		}
		s.clock.AfterFunc(from+time.Duration(90*j+20*i), func() { s.send(i) })
	}
}

// send sends one request of a thread of client i.
func (s *simulation) send(i int) {
	c := &s.clients[i]
	if c.until > 0 && s.clock.Now() >= c.until {
		return
	}
	r := new(queueset.Request)
	r.Hasher, r.Distinguisher, r.Flow, r.Series, r.Work = s.hashers[i], c.flow, c.flow, s.series[i], c.work
	r.Decided = func() {
		delete(s.waiting, r)
		if r.Displaced() {
			s.reject(i, r)
			return
		}
		s.execute(i, r)
	}
	switch s.set.Arrive(r) {
	case queueset.Seated:
		s.execute(i, r)
	case queueset.Waiting:
		s.waiting[r] = i
		if s.onWait != nil {
			s.onWait(i, r)
		}
	case queueset.Rejected:
		s.reject(i, r)
	}
}

func (s *simulation) reject(i int, r *queueset.Request) {
	c := &s.clients[i]
	s.rejected[i]++
	if !c.dropRejections {
		s.t.Errorf("client %d was rejected: %v", i, r.Reason())
	}
	s.clock.AfterFunc(c.exec+c.think, func() { s.send(i) })
}

func (s *simulation) execute(i int, r *queueset.Request) {
	c := &s.clients[i]
	now := s.clock.Now()
	if s.onStart != nil {
		s.onStart(r)
	}
	s.running[r] = &execution{client: i, since: now, until: now + c.exec, seats: r.Work.Initial}
	s.clock.AfterFunc(c.exec, func() {
		s.account(r)
		delete(s.running, r)
		s.set.Finish(r)
	})
	s.clock.AfterFunc(c.exec+c.think, func() { s.send(i) })
}

func (s *simulation) account(r *queueset.Request) {
	e, now := s.running[r], s.clock.Now()
	s.served[e.client] += float64(e.seats) * (now - e.since).Seconds()
	e.since = now
}

func (s *simulation) advance(d time.Duration) {
	s.clock.Advance(d)
}

// shares runs for d and returns each client's average seats.
func (s *simulation) shares(d time.Duration) []float64 {
	clear(s.served)
	for r := range s.running {
		s.running[r].since = s.clock.Now()
	}
	s.advance(d)
	for r := range s.running {
		s.account(r)
	}
	out := make([]float64, len(s.served))
	for i := range out {
		out[i] = s.served[i] / d.Seconds()
	}
	return out
}

// drain ends all requests and checks that the Set is idle.
func (s *simulation) drain() {
	s.t.Helper()
	for i := range s.clients {
		s.clients[i].until = 1
	}
	s.advance(time.Hour)
	require.Empty(s.t, s.waiting)
	require.Empty(s.t, s.running)
	assert.True(s.t, s.set.Idle())
	figures := s.set.Figures()
	assert.Zero(s.t, figures.Executing)
	assert.Zero(s.t, figures.Waiting)
	assert.Zero(s.t, figures.SeatsInUse)
	assert.Zero(s.t, figures.SeatsWaiting)
}

// demand returns the number of seats that a client would use without waiting.
func (c client) demand(threads int) float64 {
	return float64(threads*c.work.Initial) * c.exec.Seconds() / (c.exec + c.think).Seconds()
}

// assertShares asserts that each client's seats differ from the expected ones
// by at most the relative margin.
func assertShares(t *testing.T, expected, got []float64, margin float64) {
	t.Helper()
	for i := range expected {
		assert.InDelta(t, expected[i], got[i], margin*expected[i], "client %d; all got %.3f of %.3f", i, got, expected)
	}
}
