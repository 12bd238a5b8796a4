package search

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// Kind is the kind of an Event.
type Kind uint8

// The kinds.
const (
	Arrived   Kind = iota // at the level
	Started               // executes from now on
	Finished              // executed
	Left                  // its client left while it waited
	Rejected              // at its arrival
	Displaced             // rejected while it waited
	Resized               // the number of seats changed
)

// Event is something that happened on the level.
type Event struct {
	At      time.Duration
	Kind    Kind
	Request *Request // nil for Resized
	Seats   int      // for Resized
}

// History is what happened on a level in the order of time.
type History struct {
	Scenario *Scenario
	Events   []Event
	// Faults are what a Level did that none may do, such as starting a request twice.
	Faults []string
}

// Run plays a scenario on a level.
func Run(s *Scenario, d Discipline) *History {
	m := &simulation{history: &History{Scenario: s}, lasts: s.Lasts}
	m.seats = s.Seats
	m.level = d.New(m, s.Config)
	for i := range s.Clients {
		c := newSender(s, i)
		m.senders = append(m.senders, c)
		for thread := range c.Threads {
			m.push(event{at: c.From + time.Duration(thread)*c.Stagger, kind: send, client: i, thread: thread})
		}
	}
	for _, change := range s.Changes {
		m.push(event{at: change.At, kind: resize, client: change.Seats})
	}
	for len(m.events) > 0 && m.events[0].at <= s.Lasts {
		e := m.pop()
		m.now = e.at
		m.act(e)
	}
	return m.history
}

// simulation is the Host of a level.
type simulation struct {
	level   Level
	history *History
	senders []*sender
	lasts   time.Duration
	now     time.Duration
	serial  uint64
	events  []event // a heap
	seats   int
	inUse   int
}

var _ Host = (*simulation)(nil)

type action uint8

const (
	send   action = iota // a thread sends a request
	again                // a rejected request is sent again
	finish               // an execution ends
	depart               // a client leaves
	resize               // the number of seats changes
	call                 // of AfterFunc
)

type event struct {
	at             time.Duration
	serial         uint64
	kind           action
	client, thread int
	request        *Request
	timer          *timer
}

func (m *simulation) act(e event) {
	switch e.kind {
	case send:
		c := m.senders[e.client]
		if m.now >= c.Until {
			return
		}
		m.arrive(c.request(e.thread, m.now))
		if c.Every > 0 {
			m.push(event{at: m.now + max(c.around(c.Every), time.Microsecond), kind: send, client: e.client, thread: e.thread})
		}
	case again:
		r := *e.request
		r.State, r.phase, r.Arrived, r.tries = nil, absent, m.now, r.tries+1
		m.arrive(&r)
	case finish:
		m.record(Finished, e.request)
		e.request.phase = over
		m.inUse -= e.request.Width
		m.level.Finish(e.request)
	case depart:
		if r := e.request; r.phase == waits {
			m.record(Left, r)
			r.phase = over
			m.level.Leave(r)
			m.next(r, m.now)
		}
	case resize:
		m.seats = e.client
		m.history.Events = append(m.history.Events, Event{At: m.now, Kind: Resized, Seats: e.client})
		m.level.SetSeats(e.client)
	case call:
		if e.timer.serial == e.serial {
			e.timer.serial = 0
			e.timer.call()
		}
	}
}

func (m *simulation) record(k Kind, r *Request) {
	r.last = k
	m.history.Events = append(m.history.Events, Event{At: m.now, Kind: k, Request: r})
}

func (m *simulation) faultf(format string, args ...any) {
	m.history.Faults = append(m.history.Faults, fmt.Sprintf("at %v: ", m.now)+fmt.Sprintf(format, args...))
}

func (m *simulation) arrive(r *Request) {
	m.record(Arrived, r)
	r.phase = waits
	m.level.Arrive(r)
	if r.phase == waits {
		m.push(event{at: r.Arrived + r.Patience, kind: depart, request: r})
	}
}

// next makes a thread that waits for responses send its next request, after the response.
func (m *simulation) next(r *Request, response time.Duration) {
	if c := m.senders[r.client]; c.Every == 0 {
		m.push(event{at: response + c.around(c.Think), kind: send, client: r.client, thread: r.thread})
	}
}

// Start implements Host.
func (m *simulation) Start(r *Request) {
	if r.phase != waits {
		m.faultf("a request of flow %s is started that does not wait", r.Flow)
		return
	}
	if m.inUse+r.Width > m.seats && (m.inUse > 0 || m.seats == 0) {
		m.faultf("a request of %d seats is started while %d of %d are in use", r.Width, m.inUse, m.seats)
	}
	r.phase, r.started, r.ended = executes, m.now, m.now+r.Duration
	m.inUse += r.Width
	m.record(Started, r)
	m.push(event{at: r.ended, kind: finish, request: r})
	m.next(r, min(r.ended, max(m.now, r.Arrived+r.Patience)))
}

// backoff is how long a rejected client waits that is not told.
const backoff = time.Second

// Reject implements Host.
func (m *simulation) Reject(r *Request, retryAfter time.Duration) {
	if r.phase != waits {
		m.faultf("a request of flow %s is rejected that does not wait", r.Flow)
		return
	}
	r.phase = over
	kind := Displaced
	if e := m.history.Events[len(m.history.Events)-1]; e.Kind == Arrived && e.Request == r {
		kind = Rejected
	}
	m.record(kind, r)
	c := m.senders[r.client]
	if retryAfter <= 0 {
		retryAfter = backoff
	}
	retryAfter += time.Duration(c.random.Float64() * float64(time.Second)) // as servers and clients add
	if r.tries < c.Retries {
		m.push(event{at: m.now + retryAfter, kind: again, request: r})
		return
	}
	m.next(r, m.now+retryAfter)
}

// Now implements clock.Clock.
func (m *simulation) Now() time.Duration { return m.now }

// Wall implements clock.Clock.
func (m *simulation) Wall(sinceOrigin time.Duration) time.Time {
	return time.Unix(0, 0).Add(sinceOrigin)
}

// AfterFunc implements clock.Clock.
func (m *simulation) AfterFunc(d time.Duration, f func()) clock.Timer {
	t := &timer{simulation: m, call: f}
	t.Reset(d)
	return t
}

// timer is pending while it has the serial number of an event.
type timer struct {
	simulation *simulation
	call       func()
	serial     uint64
}

// Reset implements clock.Timer.
func (t *timer) Reset(d time.Duration) bool {
	pending := t.serial != 0
	t.serial = t.simulation.push(event{at: t.simulation.now + max(d, 0), kind: call, timer: t})
	return pending
}

// Stop implements clock.Timer.
func (t *timer) Stop() bool {
	pending := t.serial != 0
	t.serial = 0
	return pending
}

// push adds an event and returns its serial number.
func (m *simulation) push(e event) uint64 {
	m.serial++
	e.serial = m.serial
	i := len(m.events)
	m.events = append(m.events, e)
	for i > 0 && e.before(&m.events[(i-1)/4]) {
		m.events[i] = m.events[(i-1)/4]
		i = (i - 1) / 4
	}
	m.events[i] = e
	return e.serial
}

func (m *simulation) pop() event {
	first, last := m.events[0], m.events[len(m.events)-1]
	m.events = m.events[:len(m.events)-1]
	if len(m.events) == 0 {
		return first
	}
	i := 0
	for {
		least := -1
		for child := 4*i + 1; child <= min(4*i+4, len(m.events)-1); child++ {
			if least < 0 || m.events[child].before(&m.events[least]) {
				least = child
			}
		}
		if least < 0 || !m.events[least].before(&last) {
			break
		}
		m.events[i] = m.events[least]
		i = least
	}
	m.events[i] = last
	return first
}

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.serial < f.serial
}
