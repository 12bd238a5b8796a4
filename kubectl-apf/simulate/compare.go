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

// Size is how large a difference is, in seconds: rejected requests count as waits of a
// minute.
func (d *Difference) Size() float64 {
	size := math.Abs(d.After - d.Before)
	if d.Metric == "rejected" {
		size *= 60
	}
	return size
}

// compare notes what differs from the baseline.
func (r *Report) compare() {
	for i := 1; i < len(r.Results); i++ {
		r.Differences = append(r.Differences, Compare(&r.Results[0], &r.Results[i])...)
	}
	sortDifferences(r.Differences)
}

// Compare returns what differs notably between two results, the largest difference first.
func Compare(base, other *Result) []Difference {
	var all []Difference
	note := func(kind DifferenceKind, name string, before, after *Figures) {
		all = append(all, differences(Difference{Configuration: other.Name, Kind: kind, Name: name}, before, after)...)
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
	all = append(all, compareFlows(base, other)...)
	sortDifferences(all)
	return all
}

func sortDifferences(all []Difference) {
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(b.Size(), a.Size()) })
}

// compareFlows compares flows by their distinguishers, if these are unique: a flow may
// have another flow schema and level.
func compareFlows(base, other *Result) (all []Difference) {
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
		all = append(all, differences(d, &a.Figures, &b.Figures)...)
	}
	return all
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
	add("rejected", before.rejectedPart(), after.rejectedPart(), leastRejected)
	return out
}

func (f *Figures) rejectedPart() float64 { return float64(f.Rejected) / max(float64(f.Requests), 1) }
