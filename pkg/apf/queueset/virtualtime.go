package queueset

import (
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// entity is what a schedule serves: a flow, or a tenant with flows of its own.
type entity struct {
	weight   float64
	claim    float64 // how far S was behind V when no request waited any more
	pausedIn uint64  // the period of claim
	start    float64 // S without what executes; means nothing in another period than the schedule's
	idled    float64 // of start: what it did not ask for, and was not given
	period   uint64  // of start

	waiting   int // requests
	executing int // requests
	// using is the sum of the initial seats that executing requests use now. usingSince is the sum of
	// these seats times the time when each request began, in seat-nanoseconds modulo 2^64.
	using      int
	usingSince seats.Area
	charged    float64 // seat-seconds that the executing requests are expected to use
	expected   executions
	counted    float64 // what works of the schedule has of this entity
	stays      float64 // what staying of the schedule has of it

	place  rank       // in the schedule, by K
	length rank       // in the schedule, by requests that wait
	head   *Request   // the first of its requests that wait
	of     *tenant    // of a flow: its tenant, nil for a flow that is a tenant of its own
	tenant *tenant    // of a tenant with flows: itself
	flow   *flowQueue // of a flow: itself

	class         int  // of a newcomer
	newcomer      bool // in the list of newcomers, between before and after
	before, after *entity
	resting       bool // in the list of resting entities, between older and newer
	older, newer  *entity
}

// active reports whether a request waits or executes.
func (e *entity) active() bool { return e.waiting > 0 || e.executing > 0 }

// used returns the seat-seconds that the executing requests have used by now.
func (e *entity) used(now time.Duration) float64 {
	return max(0, (seats.Area(e.using)*seats.Area(now) - e.usingSince).SeatSeconds())
}

// startAt returns S at the given time.
func (e *entity) startAt(now time.Duration) float64 {
	return e.start + max(e.charged, e.used(now))/e.weight
}

// given returns what e was given in this period, divided by its weight.
func (e *entity) given(now time.Duration) float64 { return e.startAt(now) - e.idled }

// schedule serves entities in the order of virtual time.
type schedule struct {
	clock    float64       // V
	last     time.Duration // when it was advanced last
	capacity float64       // seats

	// A period begins when a request waits and none did. period counts them; began and origin are the
	// time and V of the last.
	period uint64
	began  time.Duration
	origin float64

	waiting       int     // entities with requests that wait
	waitingWeight float64 // of them
	active        int     // entities
	activeWeight  float64
	stayers       int     // entities whose first request is none of a newcomer
	staying       float64 // weight of them
	idleUse       int     // initial seats in use by entities without requests that wait
	works         float64 // of the active entities: the expected work of a request, in seat-seconds

	newcomers newcomers

	firsts *executions // of requests of flows that nothing was known about

	places  order // entities with requests that wait, by K as it was, or more
	lengths order // the same by the number of these requests beyond one

	dispatched float64 // S of the request that was dispatched last
}

// advance advances V to now. Since it was advanced last, there were capacity seats for the entities, and
// inUse of these were in use.
func (s *schedule) advance(now time.Duration, capacity float64, inUse int) {
	s.capacity = capacity
	if now <= s.last {
		return
	}
	took := (now - s.last).Seconds()
	s.last = now
	if s.waiting > 0 {
		s.clock += took * s.rate(float64(inUse))
	}
	used, most := float64(inUse)*took, min(2*s.works, maxLane*capacity*maxCredit.Seconds())
	s.newcomers.credit = min(s.newcomers.credit+s.lane()*used, most)
	s.newcomers.fresh = min(s.newcomers.fresh+s.freshLane()*used, most)
}

// lane returns the part of the seats that newcomers may use before others: less where the others have
// larger weights than they.
func (s *schedule) lane() float64 {
	if s.stayers == 0 || s.active == s.stayers {
		return maxLane
	}
	newcomers, others := (s.activeWeight-s.staying)/float64(s.active-s.stayers), s.staying/float64(s.stayers)
	return maxLane * min(1, newcomers/others)
}

// freshLane returns the part that fresh newcomers may use of these: the fair rate of all entities
// except the ones with several requests that wait.
func (s *schedule) freshLane() float64 {
	if s.active == 0 {
		return maxLane
	}
	return min(maxLane, 1-s.staying/s.activeWeight)
}

// rate returns the fair rate of an entity of weight 1 where so many seats are in use, and some entity has
// a request that waits.
func (s *schedule) rate(inUse float64) float64 {
	return max(inUse/s.activeWeight, (inUse-float64(s.idleUse))/s.waitingWeight)
}

// touch makes S of e one of this period.
func (s *schedule) touch(e *entity) {
	if e.period != s.period {
		e.period, e.idled = s.period, 0
		e.start = s.origin - e.used(s.began)/e.weight
	}
}

// uncount removes e from the sums, before it changes, and count adds it afterwards.
func (s *schedule) uncount(e *entity) {
	if !e.active() {
		return
	}
	s.active--
	s.activeWeight -= e.weight
	s.works -= e.counted
	if e.waiting == 0 {
		s.idleUse -= e.using
		return
	}
	s.waiting--
	s.waitingWeight -= e.weight
}

func (s *schedule) count(e *entity) {
	if !e.active() {
		if s.active == 0 {
			s.activeWeight, s.waitingWeight, s.works = 0, 0, 0
		}
		return
	}
	s.active++
	s.activeWeight += e.weight
	e.counted = s.expectedOf(e).work
	s.works += e.counted
	if e.waiting == 0 {
		s.idleUse += e.using
		return
	}
	s.waiting++
	s.waitingWeight += e.weight
}

// expectedOf returns what is known of requests of e, or else of first requests.
func (s *schedule) expectedOf(e *entity) *executions {
	if e.fresh() {
		return s.firsts
	}
	return &e.expected
}

// arrive is called before a request of e waits that arrives now.
func (s *schedule) arrive(e *entity, now time.Duration) stamp {
	if s.waiting == 0 {
		s.period++
		s.began, s.origin = now, s.clock
	}
	s.touch(e)
	if e.waiting > 0 {
		return stamp{}
	}
	least := s.clock
	if e.executing > 0 && e.pausedIn == s.period {
		least -= e.claim
	}
	if s.places.root != nil {
		least = min(least, s.places.level(s.works))
	}
	if idle := least - e.startAt(now); idle > 0 {
		e.start += idle
		e.idled += idle
	}
	return stamp{alone: true}
}

// pause notes that no request of e waits any more, and some execute.
func (s *schedule) pause(e *entity, now time.Duration) {
	e.pausedIn, e.claim = s.period, max(0, s.clock-e.startAt(now))
}

// keyOf returns K of e, whose requests wait.
func (s *schedule) keyOf(e *entity, now time.Duration) float64 {
	stamp := &e.head.stamps[e.depth()]
	if stamp.alone {
		return e.startAt(now)
	}
	return e.startAt(now) + s.costOf(e)/e.weight
}

// depth returns which of the stamps of its requests belongs to e.
func (e *entity) depth() int {
	if e.of != nil {
		return 1
	}
	return 0
}

// stay notes whether e is one whose first request is none of a newcomer.
func (s *schedule) stay(e *entity, stays bool) {
	if e.stays > 0 {
		s.stayers--
		s.staying -= e.stays
	}
	if e.stays = 0; stays {
		e.stays = e.weight
		s.stayers++
		s.staying += e.stays
	}
	if s.stayers == 0 {
		s.staying = 0
	}
}

// reorder moves e to its position after its S or its requests have changed.
func (s *schedule) reorder(e *entity, now time.Duration) {
	s.stay(e, e.waiting > 0 && !e.head.stamps[e.depth()].alone)
	if e.waiting == 0 {
		if e.place.listed {
			s.pause(e, now)
		}
		s.places.remove(&e.place)
		s.lengths.remove(&e.length)
		s.newcomers.remove(e)
		return
	}
	if e.newcomer && !e.head.stamps[e.depth()].alone {
		s.newcomers.remove(e)
	}
	if at := s.keyOf(e, now); !e.place.listed || at != e.place.at || e.head.width != e.place.width || e.weight != e.place.weight {
		s.places.remove(&e.place)
		if e.place.of == nil {
			e.place.of, e.length.of = e, e
		}
		e.place.at, e.place.weight, e.place.width = at, e.weight, e.head.width
		e.place.serial = e.head.serial
		s.places.insert(&e.place)
	}
	if at := float64(e.waiting-1) / e.weight; !e.length.listed || at != e.length.at {
		s.lengths.remove(&e.length)
		e.length.at, e.length.tie, e.length.serial = at, e.given(now), e.head.serial
		s.lengths.insert(&e.length)
	}
}

// first returns the entity that is first in the order. K only grows while nothing happens to an
// entity, so first updates the first K until the entity that is first has the right one.
func (s *schedule) first(now time.Duration) *entity {
	for {
		e := s.places.first().of
		if e.tenant != nil {
			e.head = e.tenant.flows.first(now).head
		} else {
			e.head = e.flow.choose(now)
		}
		before := e.place.at
		s.reorder(e, now)
		if e.place.at <= before {
			return e
		}
	}
}

// begin begins the execution of r, a request of e that does not wait any more.
func (s *schedule) begin(e *entity, r *Request, now time.Duration) {
	s.uncount(e)
	e.executing++
	e.charged += r.cost
	e.using += r.Work.Initial
	e.usingSince += seats.Area(r.Work.Initial) * seats.Area(now)
	s.count(e)
}

// end ends the execution of r, a request of e that took so much.
func (s *schedule) end(e *entity, r *Request, took time.Duration, work seats.Area) {
	if s.waiting > 0 {
		s.touch(e)
	}
	s.uncount(e)
	e.executing--
	e.charged -= r.cost
	if stamp := &r.stamps[e.depth()]; stamp.lent > 0 {
		s.newcomers.lend(work.SeatSeconds()-stamp.lent, stamp.fresh)
	}
	e.using -= r.Work.Initial
	e.usingSince -= seats.Area(r.Work.Initial) * seats.Area(r.started)
	if e.executing == 0 {
		e.charged = 0
	}
	e.start += work.SeatSeconds() / e.weight
	e.expected.observe(took, work)
	s.count(e)
}

const (
	// maxLane is the part of the seats that newcomers may use before others.
	maxLane = 3. / 4
	// maxCredit is for how long what they do not use is kept for them.
	maxCredit = time.Second
	// costs is the number of classes of newcomers by what they are expected to use: up to a
	// seat-millisecond, and four times as much each.
	costs = 10
)

// newcomers are entities with a request that arrived when none of them waited.
type newcomers struct {
	credit float64 // what they may use, in seat-seconds, before others
	fresh  float64 // what fresh ones may use of it
	lists  [2 * costs]entityList
}

// lend takes work, in seat-seconds, from the credit of newcomers.
func (l *newcomers) lend(work float64, fresh bool) {
	l.credit -= work
	if fresh {
		l.fresh -= work
	}
}

// entityList is a list of entities along before and after, in the order of arrival.
type entityList struct{ first, last *entity }

// fresh reports whether nothing is known about e.
func (e *entity) fresh() bool { return e.expected.seen == 0 }

// classOf returns the class of a newcomer by its cost.
func classOf(cost float64) int {
	return min(max(0, (math.Ilogb(cost*1000)+2)/2), costs-1)
}

func (l *newcomers) push(e *entity, cost float64) {
	class := classOf(cost)
	if e.fresh() {
		class += costs
	}
	l.append(e, class)
}

// append makes e the last of its class.
func (l *newcomers) append(e *entity, class int) {
	e.newcomer, e.class = true, class
	list := &l.lists[class]
	if e.before = list.last; e.before == nil {
		list.first = e
	} else {
		e.before.after = e
	}
	list.last = e
}

// remove removes e if it is there.
func (l *newcomers) remove(e *entity) {
	if !e.newcomer {
		return
	}
	list := &l.lists[e.class]
	if e.before == nil {
		list.first = e.after
	} else {
		e.before.after = e.after
	}
	if e.after == nil {
		list.last = e.before
	} else {
		e.after.before = e.before
	}
	e.before, e.after, e.newcomer = nil, nil, false
}

// newcomer returns the newcomer that goes before first, the entity that is first in the schedule, nil without
// one. Newcomers to whom credit is lent may go, and if first is a newcomer, all that arrived before it. The one
// that arrived first goes. A newcomer that is expected to use more counts as one that arrived later, by at most
// the time that serves each active entity once.
func (s *schedule) newcomer(first *entity, now time.Duration) *entity {
	var next *entity
	var earliest float64
	for class := range s.newcomers.lists {
		e := s.newcomers.lists[class].first
		if e != nil && e.startAt(now) > s.clock { // it owes: it loses its place, and does not hold up the others
			s.newcomers.remove(e)
			s.newcomers.append(e, class)
			e = s.newcomers.lists[class].first
		}
		if e == nil || e.startAt(now) > s.clock {
			continue
		}
		if earlier := first.newcomer && e.head.serial < first.head.serial; !earlier && !s.lends(e) {
			continue
		}
		due := e.head.arrived.Seconds() + min(s.costOf(e)*s.activeWeight, s.works)/s.capacity
		if next == nil || due < earliest {
			next, earliest = e, due
		}
	}
	return next
}

// costOf returns what the first request of e is expected to use, in seat-seconds.
func (s *schedule) costOf(e *entity) float64 { return s.expectedOf(e).expectedCost(e.head.Work) }

// lends reports whether there is credit for e, a newcomer.
func (s *schedule) lends(e *entity) bool {
	cost := s.costOf(e)
	return cost <= s.newcomers.credit && (e.class < costs || cost <= s.newcomers.fresh)
}
