package simulate

import (
	"cmp"
	"math"
	"slices"
)

const (
	// A difference of waits is noted from a tenth of the longer one and from a
	// millisecond on, one of rejected requests from 0.1 % of the requests on.
	relativeWait  = 0.1
	leastWait     = 0.001
	leastRejected = 0.001
)

// DifferenceKind is what a Difference is about.
type DifferenceKind string

// The kinds of differences.
const (
	OfLevel  DifferenceKind = "level"
	OfSchema DifferenceKind = "schema"
	OfFlow   DifferenceKind = "flow"
)

// Difference is a notable difference of a result from the baseline.
type Difference struct {
	Configuration string         `json:"configuration"`
	Kind          DifferenceKind `json:"kind"`
	Name          string         `json:"name"`
	// Metric is wait.p50, wait.p99, in seconds, or rejected, a part of the requests.
	Metric string  `json:"metric"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Gains reports whether it is better than in the baseline.
	Gains bool `json:"gains"`
	// From and To are the flow schemas of a flow that has another one.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// size is how large a difference is, in seconds: rejected requests count as waits of a minute.
func (d *Difference) size() float64 {
	size := math.Abs(d.After - d.Before)
	if d.Metric == "rejected" {
		size *= 60
	}
	return size
}

// compare notes what differs notably from the baseline, the largest difference first.
func (r *Report) compare() {
	base := &r.Results[0]
	for i := 1; i < len(r.Results); i++ {
		other := &r.Results[i]
		compareNamed(r, other.Name, OfLevel, base.Levels, other.Levels, func(l *Level) (string, *Figures) { return l.Name, &l.Figures })
		compareNamed(r, other.Name, OfSchema, base.FlowSchemas, other.FlowSchemas, func(s *Schema) (string, *Figures) { return s.Name, &s.Figures })
		r.compareFlows(base, other)
	}
	slices.SortStableFunc(r.Differences, func(a, b Difference) int { return cmp.Compare(b.size(), a.size()) })
}

// compareNamed compares what has the same name in two results.
func compareNamed[T any](r *Report, configuration string, kind DifferenceKind, base, other []T, of func(*T) (string, *Figures)) {
	for i := range base {
		name, before := of(&base[i])
		for j := range other {
			if same, after := of(&other[j]); same == name {
				r.note(Difference{Configuration: configuration, Kind: kind, Name: name}, before, after)
			}
		}
	}
}

// compareFlows compares flows by their distinguishers, if these are unique: a flow may
// have another flow schema and level.
func (r *Report) compareFlows(base, other *Result) {
	before, after := uniqueFlows(base), uniqueFlows(other)
	for i := range base.Flows {
		name := base.Flows[i].Distinguisher
		a, b := before[name], after[name]
		if name == "" || a == nil || b == nil {
			continue
		}
		d := Difference{Configuration: other.Name, Kind: OfFlow, Name: name}
		if a.Schema != b.Schema {
			d.From, d.To = a.Schema, b.Schema
		}
		r.note(d, &a.Figures, &b.Figures)
	}
}

// uniqueFlows returns the flows by distinguisher; nil for one that several have.
func uniqueFlows(r *Result) map[string]*Flow {
	out := make(map[string]*Flow, len(r.Flows))
	for i := range r.Flows {
		f := &r.Flows[i]
		if _, twice := out[f.Distinguisher]; twice {
			f = nil
		}
		out[r.Flows[i].Distinguisher] = f
	}
	return out
}

// note notes the notable differences of figures.
func (r *Report) note(d Difference, before, after *Figures) {
	add := func(metric string, a, b, least float64) {
		if math.Abs(a-b) >= least {
			d.Metric, d.Before, d.After, d.Gains = metric, a, b, b < a
			r.Differences = append(r.Differences, d)
		}
	}
	add("wait.p50", before.Wait.P50, after.Wait.P50, max(leastWait, relativeWait*max(before.Wait.P50, after.Wait.P50)))
	add("wait.p99", before.Wait.P99, after.Wait.P99, max(leastWait, relativeWait*max(before.Wait.P99, after.Wait.P99)))
	add("rejected", before.rejectedPart(), after.rejectedPart(), leastRejected)
}

func (f *Figures) rejectedPart() float64 { return float64(f.Rejected) / max(float64(f.Requests), 1) }
