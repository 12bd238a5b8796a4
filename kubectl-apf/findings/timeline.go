package findings

import (
	"container/heap"
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// timeline follows the seats in use of each level on each server, second by second.
type timeline struct {
	changes changes
	series  map[seriesKey]*series
	totals  map[string]*lint.LevelTraffic
}

type seriesKey struct{ replica, level string }

// series are the seats in use of a level on a server.
type series struct {
	inUse   int
	seconds []second
}

// second has the most seats in use in a second, those at its end, and the number of requests
// held up. Seconds without a change are left out.
type second struct {
	at        int64
	peak, end int
	heldUp    int
}

// change is a number of seats that are taken, or returned if it is negative.
type change struct {
	at    time.Time
	of    *series
	seats int
}

type changes []change

func (c changes) Len() int { return len(c) }
func (c changes) Less(a, b int) bool {
	if c[a].at.Equal(c[b].at) {
		return c[a].seats < c[b].seats // seats that are returned are free for who comes then
	}
	return c[a].at.Before(c[b].at)
}
func (c changes) Swap(a, b int) { c[a], c[b] = c[b], c[a] }
func (c *changes) Push(one any) { *c = append(*c, one.(change)) } //nolint:forcetypeassert // heap.Push is called with changes alone
func (c *changes) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

func newTimeline() timeline {
	return timeline{series: map[seriesKey]*series{}, totals: map[string]*lint.LevelTraffic{}}
}

// add adds a request, which must not arrive before requests that were added.
func (t *timeline) add(replica, level string, u *use) {
	s := t.series[seriesKey{replica, level}]
	if s == nil {
		s = &series{}
		t.series[seriesKey{replica, level}] = s
	}
	if t.totals[level] == nil {
		t.totals[level] = &lint.LevelTraffic{}
	}
	t.totals[level].SeatSeconds += u.seatSeconds()
	t.apply(u.start)
	if u.heldUp {
		t.totals[level].HeldUp++
		s.at(u.start).heldUp++
	}
	if u.seats > 0 && u.end.After(u.start) {
		heap.Push(&t.changes, change{u.start, s, u.seats})
		heap.Push(&t.changes, change{u.end, s, -u.seats})
	}
}

// apply makes the changes before a time. Requests that waited begin later than others that
// arrived after them, so what is known of a second is complete when it has passed.
func (t *timeline) apply(until time.Time) {
	for len(t.changes) > 0 && t.changes[0].at.Before(until) {
		c := heap.Pop(&t.changes).(change) //nolint:forcetypeassert // heap.Push is called with changes alone
		c.of.change(c.at, c.seats)
	}
}

func (t *timeline) finish() {
	for len(t.changes) > 0 {
		t.apply(t.changes[len(t.changes)-1].at.Add(1))
	}
}

func (s *series) change(at time.Time, seats int) {
	s.inUse += seats
	in := s.at(at)
	in.peak, in.end = max(in.peak, s.inUse), s.inUse
}

// at returns the second of a time; the last one if the time is before it.
func (s *series) at(at time.Time) *second {
	unix := at.Unix()
	if last := len(s.seconds) - 1; last < 0 || s.seconds[last].at < unix {
		s.seconds = append(s.seconds, second{at: unix, peak: s.inUse, end: s.inUse})
	}
	return &s.seconds[len(s.seconds)-1]
}

// between returns the most seats in use of a level on any of its servers between two times,
// and the number of requests held up meanwhile.
func (t *timeline) between(level string, from, to time.Time) (peak, heldUp int) {
	for key, s := range t.series {
		if key.level != level {
			continue
		}
		first, _ := slices.BinarySearchFunc(s.seconds, from.Unix(), func(s second, at int64) int { return int(s.at - at) })
		if first > 0 {
			peak = max(peak, s.seconds[first-1].end)
		}
		for _, one := range s.seconds[first:] {
			if one.at > to.Unix() {
				break
			}
			peak = max(peak, one.peak)
			heldUp += one.heldUp
		}
	}
	return peak, heldUp
}

func (t *timeline) levels() map[string]lint.LevelTraffic {
	out := map[string]lint.LevelTraffic{}
	for level, total := range maps.All(t.totals) {
		one := *total
		one.Peak, _ = t.between(level, time.Unix(0, 0), time.Unix(1<<40, 0))
		out[level] = one
	}
	return out
}
