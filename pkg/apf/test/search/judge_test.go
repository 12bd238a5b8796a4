package search

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLevelIsMaxMin(t *testing.T) {
	for _, c := range []struct {
		name     string
		capacity float64
		shares   []share
		expected float64
	}{
		{"all get what they ask for", 10, []share{{1, 4}, {1, 6}}, math.Inf(1)},
		{"equal", 10, []share{{1, 20}, {1, 20}}, 5},
		{"what one does not ask for goes to the others", 10, []share{{1, 2}, {1, 20}, {1, 20}}, 4},
		{"by weight", 12, []share{{1, 20}, {2, 20}}, 4},
		{"one limited after another", 12, []share{{1, 1}, {1, 3.5}, {1, 20}}, 7.5},
		{"nothing", 0, []share{{1, 1}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) { assert.InDelta(t, c.expected, orHuge(level(c.capacity, c.shares)), 1e-9) })
	}
	assert.Equal(t, math.Inf(1), level(1, nil), "nobody asks")
}

// orHuge makes an infinite number comparable.
func orHuge(x float64) float64 {
	if math.IsInf(x, 1) {
		return math.Inf(1)
	}
	return x
}

// scripted is a Level that does at each time what a test says.
type scripted struct {
	host    Host
	starts  map[time.Duration][]string // flows whose oldest request starts
	rejects map[string]bool            // flows whose requests are rejected at their arrival
	line    []*Request
}

func script(starts map[time.Duration][]string, rejects ...string) Discipline {
	return Discipline{Name: "scripted", New: func(host Host, _ Config) Level {
		l := &scripted{host: host, starts: starts, rejects: map[string]bool{}}
		for _, name := range rejects {
			l.rejects[name] = true
		}
		for at, flows := range starts {
			host.AfterFunc(at, func() {
				for _, name := range flows {
					for i, r := range l.line {
						if r.Flow == name {
							l.line = append(l.line[:i:i], l.line[i+1:]...)
							host.Start(r)
							break
						}
					}
				}
			})
		}
		return l
	}}
}

func (l *scripted) Arrive(r *Request) {
	if l.rejects[r.Flow] {
		l.host.Reject(r, 0)
		return
	}
	l.line = append(l.line, r)
}

func (l *scripted) Leave(r *Request) {
	for i, other := range l.line {
		if other == r {
			l.line = append(l.line[:i:i], l.line[i+1:]...)
		}
	}
}
func (l *scripted) Finish(*Request) {}
func (l *scripted) SetSeats(int)    {}

// once is a client that sends n requests at a time.
func once(flow string, n int, at, takes time.Duration) Client {
	return Client{Flow: flow, Names: 1, Threads: n, Every: time.Hour, From: at, Takes: takes, Stagger: 1, Patience: time.Hour}
}

func play(d Discipline, seats int, lasts time.Duration, clients ...Client) (*History, Measures) {
	h := Run(&Scenario{Config: Config{Seats: seats, Queues: 1, HandSize: 1, QueueLength: 100}, Lasts: lasts, Clients: clients}, d)
	return h, Judge(h)
}

func TestANewcomerIsJudgedInUnits(t *testing.T) {
	// When the mouse arrives, X is 1 s of the elephant and M(elephant) is 2 s, so a unit is 3 s on one seat.
	_, m := play(script(map[time.Duration][]string{s + 1: {"elephant"}, 3*s + 2: {"elephant"}, 5*s + 3: {"elephant"}, 7*s + 4: {"elephant"}, 11 * s: {"mouse"}}),
		1, 20*s, once("elephant", 9, s, 2*s), once("mouse", 1, 2*s, 100*ms))
	assert.InDelta(t, 9.0/3, m.Newcomer, 1e-3)
	assert.Positive(t, m.Loss(Newcomer)-1)
	_, m = play(script(map[time.Duration][]string{s + 1: {"elephant"}, 3*s + 2: {"mouse"}}), 1, 20*s, once("elephant", 1, s, 2*s), once("mouse", 1, 2*s, 100*ms))
	assert.InDelta(t, 1.0/3, m.Newcomer, 1e-3)
	assert.Empty(t, m.Broken())
}

func TestWhatAFlowIsOwedIsItsFairRate(t *testing.T) {
	// Each is owed half a seat. The second one gets nothing for 100 s, so 50 seat-seconds.
	starts := map[time.Duration][]string{}
	for i := range 100 {
		starts[time.Duration(i+1)*s] = []string{"first"}
	}
	_, m := play(script(starts), 1, 101*s, once("first", 200, 0, 999*ms), once("second", 200, 0, 999*ms))
	assert.InDelta(t, 0, m.Rate, 0.03)
	assert.InDelta(t, 100*0.5, m.Lag*(1+0.5), 1, "of a largest work of 1 s, and half a seat while that executes")
	for i := range 100 {
		starts[time.Duration(i+1)*s] = []string{[]string{"first", "second"}[i%2]}
	}
	_, m = play(script(starts), 1, 101*s, once("first", 200, 0, 999*ms), once("second", 200, 0, 999*ms))
	assert.InDelta(t, 1, m.Rate, 0.06)
	assert.LessOrEqual(t, m.Loss(Lag), 1.0)
}

func TestARejectedRequestIsProtectedBelowTheFairRate(t *testing.T) {
	_, m := play(script(nil, "small"), 1, 10*s, once("big", 2, s, s), once("small", 1, 2*s, s))
	assert.Equal(t, 1, m.Displaced, "two of another wait")
	_, m = play(script(nil, "small"), 1, 10*s, once("big", 1, s, s), once("small", 1, 2*s, s))
	assert.Zero(t, m.Displaced, "one of another waits")
	_, m = play(script(map[time.Duration][]string{s + 10: {"small"}}, "other"), 1, 10*s, once("big", 2, s, s), once("small", 1, s, 5*s), once("other", 1, 2*s, s))
	assert.Equal(t, 1, m.Displaced)
}

func TestALostClientIsOneThatAQueueInOrderWouldServe(t *testing.T) {
	hasty := Client{Flow: "flow", Names: 1, Every: time.Hour, Takes: s, Patience: 2 * s, From: 3 * s}
	patient := Client{Flow: "flow", Names: 1, Threads: 4, Every: time.Hour, Takes: s, Patience: 10 * s, From: 2 * s}
	later := Client{Flow: "flow", Names: 1, Threads: 4, Every: time.Hour, Takes: s, Patience: 60 * s, From: 2500 * ms}
	last := func(starts ...time.Duration) Discipline { // starts the newest request
		return Discipline{New: func(host Host, _ Config) Level {
			l := &scripted{host: host}
			for _, at := range starts {
				host.AfterFunc(at, func() {
					r := l.line[len(l.line)-1]
					l.line = l.line[:len(l.line)-1]
					host.Start(r)
				})
			}
			return l
		}}
	}
	_, m := play(last(7*s, 8*s, 9*s, 10*s), 1, 30*s, patient, later, hasty)
	assert.Equal(t, 4-fewLost, m.Lost, "the later ones were served instead of the patient ones")
	_, m = play(last(), 1, 30*s, patient, later, hasty)
	assert.Zero(t, m.Lost, "nobody was served")
}

func TestUselessWorkIsForThoseThatSaidWhenTheyLeave(t *testing.T) {
	before, other := once("flow", 1, 0, 3*s), once("other", 1, 0, s)
	client := Client{Flow: "flow", Names: 1, Every: time.Hour, Takes: 3 * s, Deadline: 2 * s, From: 4 * s}
	starts := map[time.Duration][]string{1: {"flow"}, 5 * s: {"flow"}}
	_, m := play(script(starts), 1, 10*s, before, client, other)
	assert.InDelta(t, 0.5, m.Useless, 1e-9)
	_, m = play(script(starts), 1, 10*s, before, client)
	assert.Zero(t, m.Useless, "nobody else waited")
	_, m = play(script(map[time.Duration][]string{5 * s: {"flow"}}), 1, 10*s, client, other)
	assert.Zero(t, m.Useless, "nothing was known of the flow")
	client.Deadline = 5 * s
	_, m = play(script(starts), 1, 10*s, before, client, other)
	assert.Zero(t, m.Useless)
}

func TestIdleSeatsAreSeen(t *testing.T) {
	_, m := play(script(map[time.Duration][]string{6 * s: {"flow"}}), 2, 10*s, once("flow", 1, s, s))
	assert.InDelta(t, 2*5/20.0, m.Idle, 1e-6, "two seats for five of ten seconds")
	wide := once("wide", 1, s, s)
	wide.Width = 2
	_, m = play(script(map[time.Duration][]string{1500 * ms: {"flow"}, 5 * s: {"wide", "flow"}}), 2, 10*s, once("flow", 2, s, 3500*ms), wide)
	assert.InDelta(t, (0.5*2+3.5)/20, m.Idle+m.Kept, 0.06)
	assert.Positive(t, m.Kept, "the other narrow one fits, the wide one does not")
}

func TestFaultsOfALevelAreSeen(t *testing.T) {
	h, m := play(script(map[time.Duration][]string{2 * s: {"flow", "flow"}}), 1, 10*s, once("flow", 2, s, s))
	require.Len(t, h.Faults, 1)
	assert.Contains(t, h.Faults[0], "while 1 of 1 are in use")
	assert.Greater(t, m.Loss(Sanity), 1.0)
}

func TestClientsWaitAndReturn(t *testing.T) {
	closed := Client{Flow: "closed", Names: 1, Threads: 2, Takes: s, Think: s, Stagger: 1}
	h, _ := play(Reference(), 5, 11*s, closed)
	assert.Equal(t, 12, outcomes(h)[0].served, "each of two threads sends one each two seconds")
	impatient := Client{Flow: "impatient", Names: 1, Takes: s, Patience: 2 * s}
	h, _ = play(script(nil), 1, 11*s, impatient)
	assert.Equal(t, 5, outcomes(h)[0].failed, "it leaves after two seconds and comes at once")
	again := once("rejected", 1, s, s)
	again.Retries = 2
	h, _ = play(script(nil, "rejected"), 1, 60*s, again)
	assert.Equal(t, 3, outcomes(h)[0].failed)
}
