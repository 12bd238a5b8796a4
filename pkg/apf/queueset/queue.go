package queueset

import (
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// flowQueue is the queue of one flow. It exists while the flow is active, holds seats or owes
// something, and a little longer.
type flowQueue struct {
	entity
	hash flow.Hash

	line      line // requests that wait, and the ones among them that stepped aside
	aside     line
	finishing int // requests in their additional latency
	seats     int // in use by requests that execute or are in their additional latency

	service  service
	patience patience
	doubted  bool // a request was late, by what is known of first requests of others
}

// tenant is a group of flows, which share what the tenant gets.
type tenant struct {
	entity
	name  tenantName
	flows schedule
	known int // flows that exist
}

// tenantName names a tenant within a flow schema.
type tenantName struct {
	schema *flow.Hasher
	name   string
}

// line is a list of requests that wait, along prev and next.
type line struct{ first, last *Request }

// push adds r at the end.
func (l *line) push(r *Request) {
	if r.prev = l.last; r.prev == nil {
		l.first = r
	} else {
		r.prev.next = r
	}
	l.last = r
}

// remove removes r, wherever it is.
func (l *line) remove(r *Request) {
	if r.prev == nil {
		l.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

// push adds r at the end.
func (q *flowQueue) push(r *Request) {
	r.aside = false
	q.line.push(r)
	q.waiting++
}

// remove removes r, wherever it is.
func (q *flowQueue) remove(r *Request) {
	if r.aside {
		q.aside.remove(r)
	} else {
		q.line.remove(r)
	}
	q.waiting--
}

// averaged is how many requests an average is of.
const averaged = 32

// executions says what requests took that have ended: the average time and how far it is from it on
// average, in seconds, the average work in seat-seconds, and the shortest times.
type executions struct {
	seen, time, distance, work float64

	shortest [2]time.Duration // of the last averaged, or fewer, and of as many before
	turned   int              // since then
}

func (e *executions) observe(took time.Duration, work seats.Area) {
	if e.turned++; e.turned > averaged || e.seen == 0 {
		e.shortest[1], e.turned = e.shortest[0], 1
		if e.seen == 0 {
			e.shortest[1] = took
		}
		e.shortest[0] = took
	}
	e.shortest[0] = min(e.shortest[0], took)
	e.seen = min(e.seen+1, averaged)
	e.distance += (math.Abs(took.Seconds()-e.time) - e.distance) / e.seen
	e.time += (took.Seconds() - e.time) / e.seen
	e.work += (work.SeatSeconds() - e.work) / e.seen
}

// longest returns how long few requests execute for longer, as timers of networks do (RFC 6298).
func (e *executions) longest() time.Duration {
	return time.Duration((e.time + 2*e.distance) * float64(time.Second))
}

// least returns how long the shortest request executed, of at least the last averaged; 0 if there is none.
func (e *executions) least() time.Duration { return min(e.shortest[0], e.shortest[1]) }

// expectedCost returns the seat-seconds that a request is expected to use.
func (e *executions) expectedCost(w seats.Work) float64 {
	return e.time*float64(w.Initial) + w.FinalArea().SeatSeconds()
}

const (
	// maxDebts is how many inactive flows and tenants are known while requests wait: what they owe, and
	// how lately they were served. A flow takes less memory than a request that waits with its goroutine.
	maxDebts = 4096
	// maxIdle is how many are known while none waits: BenchmarkIdleLevel.
	maxIdle = 64
)

// flows are the flows and tenants of a level.
type flows struct {
	byHash  map[flow.Hash]*flowQueue
	tenants map[tenantName]*tenant
	spares  []*flowQueue
	oldest  *entity // of the entities that rest
	newest  *entity
	resting int
}

// flowOf returns the queue of the flow of r.
func (s *scheduler) flowOf(r *Request, hash flow.Hash) *flowQueue {
	q := s.flows.byHash[hash]
	if q == nil {
		if last := len(s.flows.spares) - 1; last >= 0 {
			q, s.flows.spares = s.flows.spares[last], s.flows.spares[:last]
			*q = flowQueue{}
		} else {
			q = new(flowQueue)
		}
		q.hash, q.flow, q.weight = hash, q, 1
		if s.flows.byHash == nil {
			s.flows.byHash = map[flow.Hash]*flowQueue{}
		}
		s.flows.byHash[hash] = q
	}
	if !q.active() && q.finishing == 0 {
		s.join(q, r)
	}
	return q
}

// join makes q one of the tenant of r.
func (s *scheduler) join(q *flowQueue, r *Request) {
	name := tenantName{r.Hasher, r.Tenant}
	if r.Tenant == "" && q.of == nil || q.of != nil && q.of.name == name {
		return
	}
	s.part(q)
	if r.Tenant == "" {
		return
	}
	t := s.flows.tenants[name]
	if t == nil {
		t = &tenant{name: name}
		t.tenant, t.weight, t.flows.last, t.flows.firsts = t, 1, s.root.last, &s.firsts
		if s.flows.tenants == nil {
			s.flows.tenants = map[tenantName]*tenant{}
		}
		s.flows.tenants[name] = t
	}
	t.known++
	q.of, q.period, q.start = t, 0, 0
}

// part makes q, which is inactive, one of no tenant.
func (s *scheduler) part(q *flowQueue) {
	if t := q.of; t != nil {
		q.of, q.period, q.start = nil, 0, 0
		if t.known--; t.known == 0 && !t.active() {
			s.rest(&t.entity)
		}
	}
}

// scheduleOf returns the schedule that serves e.
func (s *scheduler) scheduleOf(e *entity) *schedule {
	if e.of != nil {
		return &e.of.flows
	}
	return &s.root
}

// rest lets e rest, which has become inactive, and forgets the entities that rest for longest.
func (s *scheduler) rest(e *entity) {
	l := &s.flows
	if !e.resting {
		l.append(e)
	}
	most := maxIdle
	if s.waiting > 0 {
		most = maxDebts
	}
	for n := 0; n < 2 && l.resting > most; n++ {
		oldest := l.oldest
		l.remove(oldest)
		if oldest.tenant != nil && oldest.tenant.known > 0 {
			l.append(oldest)
			continue
		}
		s.forget(oldest)
	}
}

// wake ends the rest of e.
func (s *scheduler) wake(e *entity) {
	if e.resting {
		s.flows.remove(e)
	}
}

func (l *flows) append(e *entity) {
	e.resting, e.older = true, l.newest
	if l.newest == nil {
		l.oldest = e
	} else {
		l.newest.newer = e
	}
	l.newest = e
	l.resting++
}

func (l *flows) remove(e *entity) {
	if e.older == nil {
		l.oldest = e.newer
	} else {
		e.older.newer = e.newer
	}
	if e.newer == nil {
		l.newest = e.older
	} else {
		e.newer.older = e.older
	}
	e.older, e.newer, e.resting = nil, nil, false
	l.resting--
}

// forget forgets e, which does not rest any more.
func (s *scheduler) forget(e *entity) {
	if e.tenant != nil {
		delete(s.flows.tenants, e.tenant.name)
		return
	}
	delete(s.flows.byHash, e.flow.hash)
	s.part(e.flow)
	if len(s.flows.spares) < maxIdle {
		s.flows.spares = append(s.flows.spares, e.flow)
	}
}

// forgetMany releases the memory of many flows. No request may wait or hold seats.
func (s *scheduler) forgetMany() {
	if len(s.flows.byHash) > maxIdle {
		s.flows = flows{}
	}
}
