package simulate

import (
	"cmp"
	"math"
	"slices"
)

const (
	// A difference of waits is noted from a tenth of the longer one and from a
	// millisecond on, one of refused requests from 0.1 % of the requests on.
	relativeWait = 0.1
	leastWait    = 0.001
	leastRefused = 0.001
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
	// Metric is wait.p50, wait.p99, in seconds, or refused, a part of the requests.
	Metric string  `json:"metric"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Gains reports whether it is better than in the baseline.
	Gains bool `json:"gains"`
	// From and To are the flow schemas of a flow that has another one.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// size orders differences: refused requests count as waits of a minute.
func (d *Difference) size() float64 {
	size := math.Abs(d.After - d.Before)
	if d.Metric == "refused" {
		size *= 60
	}
	return size
}

// compare notes what differs from the baseline.
func (r *Report) compare() {
	base := &r.Results[0]
	for i := 1; i < len(r.Results); i++ {
		other := &r.Results[i]
		note := func(kind DifferenceKind, name string, before, after *Figures) {
			r.Differences = append(r.Differences, differences(Difference{Configuration: other.Name, Kind: kind, Name: name}, before, after)...)
		}
		for j := range base.Levels {
			for k := range other.Levels {
				if base.Levels[j].Name == other.Levels[k].Name {
					note(OfLevel, base.Levels[j].Name, &base.Levels[j].Figures, &other.Levels[k].Figures)
				}
			}
		}
		for j := range base.FlowSchemas {
			for k := range other.FlowSchemas {
				if base.FlowSchemas[j].Name == other.FlowSchemas[k].Name {
					note(OfSchema, base.FlowSchemas[j].Name, &base.FlowSchemas[j].Figures, &other.FlowSchemas[k].Figures)
				}
			}
		}
		r.compareFlows(base, other)
	}
	slices.SortStableFunc(r.Differences, func(a, b Difference) int { return cmp.Compare(b.size(), a.size()) })
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
		r.Differences = append(r.Differences, differences(d, &a.Figures, &b.Figures)...)
	}
}

// uniqueFlows returns the flows by distinguisher; nil for one that several have.
func uniqueFlows(r *Result) map[string]*Flow {
	out := make(map[string]*Flow, len(r.Flows))
	for i := range r.Flows {
		f := &r.Flows[i]
		if _, twice := out[f.Distinguisher]; twice {
			out[f.Distinguisher] = nil
			continue
		}
		out[f.Distinguisher] = f
	}
	return out
}

// differences returns the notable differences of figures.
func differences(d Difference, before, after *Figures) []Difference {
	var out []Difference
	add := func(metric string, a, b, least float64) {
		if math.Abs(a-b) >= least {
			d.Metric, d.Before, d.After, d.Gains = metric, a, b, b < a
			out = append(out, d)
		}
	}
	for _, metric := range []string{"wait.p50", "wait.p99"} {
		a, b := before.metric(metric), after.metric(metric)
		add(metric, a, b, max(leastWait, relativeWait*max(a, b)))
	}
	add("refused", before.refusedPart(), after.refusedPart(), leastRefused)
	return out
}

func (f *Figures) refusedPart() float64 { return float64(f.Refused) / max(float64(f.Requests), 1) }
