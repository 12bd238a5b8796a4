package why

import (
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const (
	// windowStep divides the time of the evidence: API servers divide their seats as often.
	windowStep = allocation.Period
	// longestTrouble bounds how long one request can have waited.
	longestTrouble = 10 * time.Minute
)

// window is the time when requests of a level were rejected or waited, in steps since 1970. What a level did
// in the rest of a day says nothing about it.
type window map[int64]bool

// add adds the steps of a time.
func (w window) add(from, until time.Time) {
	until = until.Add(min(0, longestTrouble-until.Sub(from)))
	for at := stepOf(from); at <= stepOf(until); at++ {
		w[at] = true
	}
}

func stepOf(at time.Time) int64 { return at.Unix() / int64(windowStep/time.Second) }

// within returns how much of a time is in the window.
func (w window) within(from, until time.Time) (sum time.Duration) {
	step := func(at int64) time.Time { return time.Unix(at*int64(windowStep/time.Second), 0) }
	last := stepOf(until)
	if int64(len(w)) < last-stepOf(from) { // a long time
		for at := range w {
			sum += overlap(from, until, step(at), step(at+1))
		}
		return sum
	}
	for at := stepOf(from); at <= last; at++ {
		if w[at] {
			sum += overlap(from, until, step(at), step(at+1))
		}
	}
	return sum
}

// overlap returns the time that two times have in common.
func overlap(from, until, otherFrom, otherUntil time.Time) time.Duration {
	if otherFrom.After(from) {
		from = otherFrom
	}
	if otherUntil.Before(until) {
		until = otherUntil
	}
	return max(0, until.Sub(from))
}

// span is the time of some events.
type span struct{ since, until time.Time }

// include makes the span include a time.
func (s *span) include(since, until time.Time) {
	if s.since.IsZero() || since.Before(s.since) {
		s.since = since
	}
	if until.After(s.until) {
		s.until = until
	}
}

// Survey looks at a request before Observe does: at when requests of its level were rejected or waited, and which
// servers there were. Without it, uses are judged over all of the evidence.
func (i *Inquiry) Survey(r *logs.Request) {
	i.include(r.Arrival, r.End())
	of := i.servers[r.Replica]
	of.include(r.Arrival, r.End())
	i.servers[r.Replica] = of
	attributes := r.Attributes()
	key, exempt := i.place(r, &attributes)
	wait, _ := r.Waited(latencyThreshold)
	if exempt || !i.asks(r.User, key.schema) || r.Rejected == "" && wait <= 0 {
		return
	}
	if i.windows[key.level] == nil {
		i.windows[key.level] = window{}
	}
	if r.Rejected != "" {
		wait = r.End().Sub(r.Arrival)
	}
	i.windows[key.level].add(r.Arrival, r.Arrival.Add(wait))
}

// part returns which part of the execution of a request is in the window of its level, from 0 to 1.
func (i *Inquiry) part(r *logs.Request, level string) float64 {
	w := i.windows[level]
	if w == nil {
		return 1
	}
	executed, end := r.Executed(), r.End()
	if executed > 0 {
		return float64(w.within(end.Add(-executed), end)) / float64(executed)
	}
	if w[stepOf(r.Arrival)] {
		return 1
	}
	return 0
}

// seconds returns how long the uses of a level are about.
func (i *Inquiry) seconds(level string) float64 {
	switch w := i.windows[level]; {
	case i.observed == 0:
		return rememberedSpan.Seconds()
	case w != nil:
		return w.within(i.since, i.until).Seconds()
	default:
		return i.until.Sub(i.since).Seconds()
	}
}

// serversOf returns the API servers that wrote events in the window of a level, sorted.
func (i *Inquiry) serversOf(level string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(i.servers)) {
		of, w := i.servers[name], i.windows[level]
		if w == nil || w.within(of.since, of.until.Add(1)) > 0 {
			names = append(names, name)
		}
	}
	return names
}
