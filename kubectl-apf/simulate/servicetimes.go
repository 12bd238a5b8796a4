package simulate

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// learned is the number of requests that the medians are known from at the beginning.
	learned = 100_000
	// enough is the least number of durations of a kind to compute its median from.
	enough = 10_000
	// fallback is the service time where no request of the trace has one.
	fallback = 5 * time.Millisecond
)

// kind is a kind of requests with similar service times. Less specific kinds have empty
// fields.
type kind struct{ verb, group, resource, subresource string }

// serviceTimes knows how long requests execute.
type serviceTimes struct {
	kinds map[kind]*durations
	// own, latency and median count the requests by where their service times are from.
	own, latency, median, unknown uint64
}

// durations are the known durations of a kind.
type durations struct {
	histogram
	median time.Duration
	asked  uint64 // count when the median was computed
}

func newServiceTimes() *serviceTimes { return &serviceTimes{kinds: map[kind]*durations{}} }

// recorded returns how long a request executed in the trace, if that is known.
func recorded(r *trace.Request) (d time.Duration, ok bool) {
	switch {
	case r.Rejected != "":
		return 0, false
	case r.Execution != nil:
		return r.Execution.Duration, true
	case r.Latency != nil && r.Verb != "watch":
		d = r.Latency.Duration
		if r.Wait != nil {
			d -= r.Wait.Duration
		}
		return max(d, 0), true
	default:
		return 0, false
	}
}

// kindsOf returns the kinds of a request, the most specific first.
func kindsOf(r *trace.Request) [3]kind {
	return [3]kind{{r.Verb, r.APIGroup, r.Resource, r.Subresource}, {verb: r.Verb}, {}}
}

// learn learns the duration of a request.
func (s *serviceTimes) learn(r *trace.Request) {
	d, ok := recorded(r)
	if !ok {
		return
	}
	for _, k := range kindsOf(r) {
		known := s.kinds[k]
		if known == nil {
			known = &durations{}
			s.kinds[k] = known
		}
		if known.count >= enough {
			return // so are the less specific kinds
		}
		known.add(d)
	}
}

// of returns how long a request executes, and learns from it.
func (s *serviceTimes) of(r *trace.Request) time.Duration {
	if d, ok := recorded(r); ok {
		if r.Execution != nil {
			s.own++
		} else {
			s.latency++
		}
		s.learn(r)
		return d
	}
	for _, k := range kindsOf(r) {
		if known := s.kinds[k]; known != nil {
			s.median++
			return known.middle()
		}
	}
	s.unknown++
	return fallback
}

// known returns the number of requests whose service times are from the trace.
func (s *serviceTimes) known() uint64 { return s.own + s.latency + s.median }

// middle returns the median, computed again whenever there are a tenth more durations.
func (d *durations) middle() time.Duration {
	if d.count > d.asked+d.asked/10 {
		d.median, d.asked = d.quantiles(0.5)[0], d.count
	}
	return d.median
}

// notes returns sentences about where the service times are from.
func (s *serviceTimes) notes() []string {
	var notes []string
	if s.latency > 0 {
		notes = append(notes, fmt.Sprintf("The execution of %d requests is their latency less their wait: the trace has no execution of theirs.", s.latency))
	}
	if s.median > 0 {
		notes = append(notes, fmt.Sprintf("The execution of %d requests is the median of their kind: the trace has none, or they were rejected then.", s.median))
	}
	if s.unknown > 0 {
		notes = append(notes, fmt.Sprintf("The execution of %d requests is %s: the trace has no execution of any request before them.", s.unknown, fallback))
	}
	return notes
}
