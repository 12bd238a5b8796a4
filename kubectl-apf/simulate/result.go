package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// result returns the figures of a simulation, without flows.
func (s *simulation) result() Result {
	seconds := (s.line.now - s.collector.begun).Seconds()
	r := Result{
		Name: s.candidate.Name, Engine: s.options.Engine, Release: string(s.candidate.Configuration.Release),
		Loop: s.options.Loop, Replicas: len(s.replicas), Total: total(s.candidate.Configuration) * len(s.replicas),
		Seconds: seconds, Read: s.read, NotSent: s.notSent,
		LeftOut: s.placement.left(),
	}
	all := &figures{}
	for _, name := range slices.Sorted(maps.Keys(s.collector.levels)) {
		l := s.collector.levels[name]
		l.advance(s.line.now)
		all.join(&l.figures)
		r.Levels = append(r.Levels, l.result(name, seconds))
	}
	r.Figures = all.result()
	s.schemas(&r)
	r.Notes = s.notes()
	return r
}

// join adds the figures of other requests.
func (f *figures) join(other *figures) {
	f.Requests += other.Requests
	f.Retries += other.Retries
	f.SeatSeconds += other.SeatSeconds
	f.Rejected += other.Rejected
	for reason, n := range other.RejectedBy {
		if f.RejectedBy == nil {
			f.RejectedBy = map[string]uint64{}
		}
		f.RejectedBy[reason] += n
	}
	f.waits.join(&other.waits)
}

// result returns the figures with what follows from the waits.
func (f *figures) result() Figures {
	q := f.waits.quantiles(0.5, 0.9, 0.99)
	out := f.Figures
	out.Dispatched, out.Waited = f.waits.count, f.waits.count-f.waits.zeros
	out.Wait = Wait{P50: q[0].Seconds(), P90: q[1].Seconds(), P99: q[2].Seconds(), Max: f.waits.max.Seconds()}
	if f.waits.count > 0 {
		out.Wait.Mean = f.waits.sum / float64(f.waits.count)
	}
	return out
}

func (l *levelFigures) result(name string, seconds float64) Level {
	seconds = max(seconds, 1e-9)
	return Level{
		Name: name, Type: l.config.Discipline.String(), Figures: l.figures.result(),
		Limits: l.Limits,
		Limit:  l.limit.result(seconds), Lent: l.lent.result(seconds),
		Seats: l.seats.result(seconds), Borrowed: l.borrowed.result(seconds), MostWaiting: l.mostWaiting,
	}
}

func (s *simulation) schemas(r *Result) {
	for key, f := range s.collector.schemas {
		r.FlowSchemas = append(r.FlowSchemas, Schema{Name: key.schema, Level: key.level, Figures: f.result()})
	}
	slices.SortFunc(r.FlowSchemas, func(a, b Schema) int { return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Name, b.Name)) })
}

// heaviest returns the distinguishers of the flows of each level that used most seat-seconds.
func (s *simulation) heaviest() map[string]bool {
	byLevel := map[string][]flowKey{}
	for key := range s.collector.flows {
		byLevel[key.level] = append(byLevel[key.level], key)
	}
	heaviest := map[string]bool{}
	for _, keys := range byLevel {
		s.sort(keys)
		for _, key := range keys[:min(len(keys), s.options.Flows)] {
			heaviest[key.distinguisher] = true
		}
	}
	return heaviest
}

// sort sorts flows, those with most seat-seconds first.
func (s *simulation) sort(keys []flowKey) {
	slices.SortFunc(keys, func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(s.collector.flows[b].SeatSeconds, s.collector.flows[a].SeatSeconds),
			cmp.Compare(a.schema, b.schema), cmp.Compare(a.distinguisher, b.distinguisher))
	})
}

// flows returns the flows with the given distinguishers, by level.
func (s *simulation) flows(shown map[string]bool) []Flow {
	var keys []flowKey
	for key := range s.collector.flows {
		if shown[key.distinguisher] {
			keys = append(keys, key)
		}
	}
	s.sort(keys)
	slices.SortStableFunc(keys, func(a, b flowKey) int { return cmp.Compare(a.level, b.level) })
	out := make([]Flow, len(keys))
	for i, key := range keys {
		out[i] = Flow{Level: key.level, Schema: key.schema, Distinguisher: key.distinguisher, Figures: s.collector.flows[key].result()}
	}
	return out
}

// notes returns sentences about what was assumed.
func (s *simulation) notes() []string {
	var notes []string
	notes = append(notes, s.placement.notes(s.read)...)
	if s.ungoverned > 0 {
		notes = append(notes, fmt.Sprintf("%d long-running requests are left out: flow control does not govern them.", s.ungoverned))
	}
	notes = append(notes, s.candidate.Configuration.Notes...)
	if s.options.Loop == Open {
		notes = append(notes, "The loop is open: requests arrive as in the trace, even if clients would still be waiting for responses.")
	} else {
		notes = append(notes, "The loop is closed: clients wait for their answers, think as long as they did in the trace, and repeat rejected requests after 1s.")
		if s.closed.leftOut > 0 {
			notes = append(notes, fmt.Sprintf("%d requests that were rejected in the trace are left out: the requests that repeat them are in the trace.", s.closed.leftOut))
		}
		if s.notSent > 0 {
			notes = append(notes, fmt.Sprintf("%d requests were not sent before the end of the trace: their clients still waited.", s.notSent))
		}
	}
	if s.options.Engine == Library {
		notes = append(notes, "Queueing is the code of k8s.io/apiserver v0.33; the division of the seats is computed as its controller does.")
	}
	notes = append(notes, s.services.notes()...)
	return append(notes, s.estimator.notes()...)
}
