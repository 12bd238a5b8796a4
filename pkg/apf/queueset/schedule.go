package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// ServiceTimeGuess is how long, in dumps, a request is taken to execute while nothing is known about it.
const ServiceTimeGuess = 3 * time.Millisecond

// scheduler orders the requests that wait, and decides which of them starts on the free seats.
type scheduler struct {
	root    schedule
	firsts  executions // requests of flows that nothing was known about
	flows   flows
	limit   int // seats: C of the package comment
	inUse   int // seats; may exceed the limit after that was lowered
	waiting int // requests
	widths  widthCounts
	serial  uint64 // of the last request that began to wait

	overtaking overtaking
	lates      int // requests that were late
}

// free returns the number of free seats, negative if more are in use than the limit.
func (s *scheduler) free() int { return s.limit - s.inUse }

// idle reports whether no request waits and no seat is in use.
func (s *scheduler) idle() bool { return s.waiting == 0 && s.inUse == 0 }

// advance advances the virtual times to now.
func (s *scheduler) advance(now time.Duration) {
	s.root.advance(now, float64(s.limit), min(s.inUse, s.limit))
}

// advance advances the virtual time of t to now. Its flows share the seats that it uses.
func (t *tenant) advance(now time.Duration) { t.flows.advance(now, float64(t.using), t.using) }

// fits reports whether a request of the given width may start now. One that is wider than the limit
// starts when no seat is in use.
func (s *scheduler) fits(width int) bool {
	if width > s.limit {
		return s.limit > 0 && s.inUse == 0
	}
	return width <= s.free()
}

// clamp returns work with final seats within the limit.
func (s *scheduler) clamp(work seats.Work) seats.Work { return work.ClampFinal(s.limit) }

// stamp is what a request has in a schedule since it arrived.
type stamp struct {
	alone bool    // no other request of the entity waited
	lent  float64 // of the credit of newcomers, in seat-seconds
	fresh bool    // and of the credit of fresh entities
}

// enqueue adds r to the end of q.
func (s *scheduler) enqueue(r *Request, q *flowQueue, now time.Duration) {
	s.wake(&q.entity)
	s.serial++
	r.queue, r.serial = q, s.serial
	t := q.of
	if t != nil {
		s.wake(&t.entity)
		t.advance(now)
		r.stamps[0] = s.root.arrive(&t.entity, now)
		r.stamps[1] = t.flows.arrive(&q.entity, now)
		s.root.uncount(&t.entity)
		t.flows.uncount(&q.entity)
		t.waiting++
		t.weight = weightOf(r.TenantWeight)
	} else {
		r.stamps[0] = s.root.arrive(&q.entity, now)
		s.root.uncount(&q.entity)
	}
	q.weight = weightOf(r.Weight)
	if top := s.top(q); r.stamps[0].alone {
		s.root.newcomers.push(top, s.root.expectedOf(top).expectedCost(r.Work))
	}
	q.push(r)
	s.waiting++
	s.widths.add(r.width, 1)
	s.counted(q)
	s.reorder(q, now)
}

// weightOf returns a weight in range.
func weightOf(weight int) float64 { return float64(min(max(weight, 1), maxWeight)) }

// maxWeight is the largest weight that counts.
const maxWeight = 1 << 20

// counted counts q and its tenant.
func (s *scheduler) counted(q *flowQueue) {
	s.scheduleOf(&q.entity).count(&q.entity)
	if t := q.of; t != nil {
		s.root.count(&t.entity)
	}
}

// reorder puts q and its tenant in their places.
func (s *scheduler) reorder(q *flowQueue, now time.Duration) {
	q.head = q.choose(now)
	s.scheduleOf(&q.entity).reorder(&q.entity, now)
	if t := q.of; t != nil {
		if t.head = nil; t.waiting > 0 {
			t.head = t.flows.first(now).head
		}
		s.root.reorder(&t.entity, now)
	}
}

// uncounted removes q and its tenant from the sums, before they change.
func (s *scheduler) uncounted(q *flowQueue, now time.Duration) {
	if t := q.of; t != nil {
		t.advance(now)
		s.root.uncount(&t.entity)
	}
	s.scheduleOf(&q.entity).uncount(&q.entity)
}

// detach removes r, which waits, from its queue.
func (s *scheduler) detach(r *Request) {
	s.overtaking.gone(r)
	r.queue.remove(r)
	if t := r.queue.of; t != nil {
		t.waiting--
	}
	s.waiting--
	s.widths.add(r.width, -1)
}

// withdraw removes r from its queue for good.
func (s *scheduler) withdraw(r *Request, now time.Duration) {
	q := r.queue
	s.uncounted(q, now)
	s.detach(r)
	s.counted(q)
	s.reorder(q, now)
	s.settle(q)
}

// settle lets q and its tenant rest if they are inactive.
func (s *scheduler) settle(q *flowQueue) {
	if q.active() || q.finishing > 0 {
		return
	}
	s.rest(&q.entity)
	if t := q.of; t != nil && !t.active() {
		s.rest(&t.entity)
	}
}

// next returns the waiting request that is to start now, nil without one. If the request that is
// first in the schedule does not fit, that is blocked.
func (s *scheduler) next(now time.Duration) (next, blocked *Request) {
	if s.waiting == 0 {
		return nil, nil
	}
	first := s.root.first(now)
	r := first.head
	r.Work = s.clamp(r.Work)
	fits := s.fits(r.Work.Width())
	if !fits {
		s.overtaking.block(r)
	}
	if e := s.root.newcomer(first, now); e != nil && s.fits(e.head.Work.Width()) && (r != s.overtaking.blocked || s.mayPass(e)) {
		if s.root.lends(e) {
			e.head.stamps[0].lent, e.head.stamps[0].fresh = s.root.costOf(e), e.class >= costs
		}
		return e.head, nil
	}
	if fits {
		return r, nil
	}
	return s.overtaker(first, now), r
}

// seat gives r, which does not wait, its seats.
func (s *scheduler) seat(r *Request, now time.Duration) {
	r.held, r.started, r.phase = r.Work.Width(), now, executing
	s.inUse += r.held
}

// start starts the execution of r, which is seated, in q. It waited, or no request does.
func (s *scheduler) start(r *Request, q *flowQueue, now time.Duration) {
	serves := s.scheduleOf(&q.entity)
	expected := serves.expectedOf(&q.entity)
	r.cost, r.known = max(expected.expectedCost(r.Work), seats.AreaOf(r.Work.Initial, ServiceTimeGuess).SeatSeconds()), q.expected.seen > 0
	r.queue = q
	q.seats += r.held
	serves.begin(&q.entity, r, now)
	if q.of != nil {
		s.root.begin(&q.of.entity, r, now)
	}
}

// startAtOnce starts a request of q while no request waits.
func (s *scheduler) startAtOnce(r *Request, q *flowQueue, now time.Duration) {
	s.wake(&q.entity)
	if t := q.of; t != nil {
		s.wake(&t.entity)
	}
	r.stamps = [2]stamp{}
	s.start(r, q, now)
}

// dispatch starts the execution of r, which waits and has its seats.
func (s *scheduler) dispatch(r *Request, now time.Duration) {
	q := r.queue
	s.charge(&s.root, s.top(q), r, now)
	if t := q.of; t != nil {
		t.advance(now)
		s.charge(&t.flows, &q.entity, r, now)
	}
	s.uncounted(q, now)
	s.detach(r)
	q.service.served(r, now)
	q.patience.served(r, now)
	s.counted(q)
	s.start(r, q, now)
	s.reorder(q, now)
}

// top returns the entity of the root that q is in.
func (s *scheduler) top(q *flowQueue) *entity {
	if q.of != nil {
		return &q.of.entity
	}
	return &q.entity
}

// charge raises V to S of the first request, and notes that r of e is dispatched.
func (s *scheduler) charge(serves *schedule, e *entity, r *Request, now time.Duration) {
	serves.touch(e)
	first := serves.first(now)
	serves.clock = max(serves.clock, first.startAt(now))
	serves.dispatched = e.startAt(now)
	serves.newcomers.lend(r.stamps[e.depth()].lent, r.stamps[e.depth()].fresh)
}

// unseat ends the execution of r, which holds its final seats for now.
func (s *scheduler) unseat(r *Request, now time.Duration, final int, took time.Duration, work seats.Area) {
	q := r.queue
	q.seats -= r.held - final
	if final > 0 {
		q.finishing++
	}
	serves := s.scheduleOf(&q.entity)
	if t := q.of; t != nil {
		t.advance(now)
	}
	if !r.known {
		s.firsts.observe(took, work)
	}
	serves.end(&q.entity, r, took, work)
	if q.of != nil {
		s.root.end(&q.of.entity, r, took, work)
	}
	s.reorder(q, now)
	s.settle(q)
}

// release ends the final phase of a request, whose seats are free again.
func (s *scheduler) release(p *finalPhase) {
	if p.queue != nil {
		p.queue.finishing--
		p.queue.seats -= p.seats
		s.settle(p.queue)
	}
}

// maxOvertaking is how far a request that does not fit may be overtaken, in time at the fair rate: B of
// the package comment.
const maxOvertaking = time.Second / 2

// widest is the least of the widths that are counted together. Estimates are at most 10 seats wide.
const widest = 16

// widthCounts counts waiting requests by their width.
type widthCounts [widest + 1]int

func (c *widthCounts) add(width, requests int) { c[min(width, widest)] += requests }

// upTo returns how many have at most the given width, without widths of at least widest.
func (c *widthCounts) upTo(width int) int {
	sum := 0
	for _, requests := range c[:min(width+1, widest)] {
		sum += requests
	}
	return sum
}

// overtaking is what others do while a request that does not fit is first.
type overtaking struct {
	overtaken  *Request // waits, was first and did not fit when another overtook it
	collecting bool     // seats, since overtaking reached its bound
	blocked    *Request // was first and did not fit, and waits
	passed     float64  // seat-seconds that newcomers are expected to use that passed it
}

// block notes that r is first and does not fit.
func (o *overtaking) block(r *Request) {
	if o.blocked != r {
		o.blocked, o.passed = r, 0
	}
}

// mayPass reports whether a newcomer may start before the blocked request. Together they use no more than
// one request does on average.
func (s *scheduler) mayPass(e *entity) bool {
	cost := s.root.expectedOf(e).expectedCost(e.head.Work)
	if s.overtaking.passed+cost > s.root.works/float64(s.root.active) {
		return false
	}
	s.overtaking.passed += cost
	return true
}

// gone notes that r does not wait any more.
func (o *overtaking) gone(r *Request) {
	if r == o.overtaken {
		o.overtaken = nil
	}
	if r == o.blocked {
		o.blocked = nil
	}
}

// maxOvertaken is maxOvertaking in seat-seconds of an entity of weight 1.
func (s *scheduler) maxOvertaken() float64 {
	return maxOvertaking.Seconds() * float64(s.limit) / s.root.activeWeight
}

// overtaker returns the request that may start on the free seats instead of the request of first,
// which does not fit.
func (s *scheduler) overtaker(first *entity, now time.Duration) *Request {
	fitting := s.widths.upTo(s.free())
	if first.head.stamps[0].alone || fitting == 0 || s.waiting-fitting < 2 {
		return nil
	}
	by := s.maxOvertaken()
	if s.overtaking.collecting {
		by -= by / 8
	}
	due := first.place.at + by
	if s.root.clock > due { // the first is owed more
		s.overtaking.collecting = true
		return nil
	}
	for {
		found := s.root.places.firstOfWidth(s.free())
		if found == nil || found.at > due {
			s.overtaking.collecting = true
			return nil
		}
		before := found.at
		if s.root.reorder(found.of, now); found.at <= before {
			s.overtaking.collecting, s.overtaking.overtaken = false, first.head
			return found.of.head
		}
	}
}
