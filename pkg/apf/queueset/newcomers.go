package queueset

import (
	"math"
	"time"
)

const (
	// lane is the part of the seats that newcomers may use before others.
	lane = 3. / 4
	// maxCredit is for how long what they do not use is kept for them.
	maxCredit = time.Second
	// costs is the number of classes of newcomers by what they are expected to use: up to a
	// seat-millisecond, and four times as much each.
	costs = 10
)

// newcomers are entities with a request that arrived when none of them waited.
type newcomers struct {
	credit float64 // what they may use, in seat-seconds, before others
	lists  [costs]entityList
}

// entityList is a list of entities along before and after, in the order of arrival.
type entityList struct{ first, last *entity }

// classOf returns the class of a newcomer.
func classOf(cost float64) int {
	return min(max(0, (math.Ilogb(cost*1000)+2)/2), costs-1)
}

func (l *newcomers) push(e *entity, cost float64) {
	e.newcomer, e.class = true, classOf(cost)
	list := &l.lists[e.class]
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

// newcomer returns the newcomer that goes before others now, nil without one: of those for which there
// is credit the one that arrived first, where who is expected to use more counts as one that arrived later, by
// at most the time in which each active entity is served once.
func (s *schedule) newcomer(now time.Duration) *entity {
	var first *entity
	var earliest float64
	for i := range s.newcomers.lists {
		e := s.newcomers.lists[i].first
		if e == nil || e.startAt(now) > s.clock {
			continue
		}
		cost := s.expectedOf(e).expectedCost(e.head.Work)
		due := e.head.arrived.Seconds() + min(cost*s.activeWeight, s.works)/s.capacity
		if cost <= s.newcomers.credit && (first == nil || due < earliest) {
			first, earliest = e, due
		}
	}
	return first
}
