package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// The goals: a wait is well predicted within a part or a time, in seconds, and rejections
// within points.
const (
	nearPart     = 0.15
	nearSeconds  = 0.002
	nearRejected = 0.05
)

// value is one figure of all runs.
type value struct{ actual, predicted []float64 }

func (o *outcome) value(of func(figures) float64) value {
	var v value
	for i := range o.actual {
		v.actual = append(v.actual, of(o.actual[i]))
		v.predicted = append(v.predicted, of(o.prediction[i]))
	}
	return v
}

func (o *outcome) p50() value      { return o.value(func(f figures) float64 { return f.p50 }) }
func (o *outcome) p99() value      { return o.value(func(f figures) float64 { return f.p99 }) }
func (o *outcome) rejected() value { return o.value(func(f figures) float64 { return f.rejected }) }
func (o *outcome) seats() value    { return o.value(func(f figures) float64 { return f.seats }) }

func median(values []float64) float64 { return measurement.Quantile(values, 0.5) }

// errors returns by how much each prediction is off.
func (v value) errors() []float64 {
	var all []float64
	for i, actual := range v.actual {
		all = append(all, math.Abs(v.predicted[i]-actual))
	}
	return all
}

// parts returns the relative error of each prediction of a wait. An error below the time that
// counts as near is 0.
func (v value) parts() []float64 {
	var all []float64
	for i, off := range v.errors() {
		if off <= nearSeconds {
			off = 0
		}
		all = append(all, off/max(v.actual[i], nearSeconds))
	}
	return all
}

// spread returns the relative differences between the measurements of a wait, in pairs.
func (v value) spread() []float64 {
	var all []float64
	for i, one := range v.actual {
		for _, other := range v.actual[:i] {
			all = append(all, value{[]float64{one}, []float64{other}}.parts()...)
		}
	}
	return all
}

// near reports whether the median of the predictions of a wait is near the median of the
// measurements.
func (v value) near() bool {
	off := math.Abs(median(v.predicted) - median(v.actual))
	return off <= nearSeconds || off <= nearPart*median(v.actual)
}

// good reports whether the goals are met.
func (o *outcome) good() bool {
	return o.p50().near() && o.p99().near() && median(o.rejected().errors()) <= nearRejected
}

// text writes medians, and the spread of what was measured.
func (v value) text(scale float64, unit string) string {
	lowest, highest := measurement.Quantile(v.actual, 0), measurement.Quantile(v.actual, 1)
	return fmt.Sprintf("%s (%s to %s) | %s", number(median(v.actual)*scale)+unit, number(lowest*scale), number(highest*scale), number(median(v.predicted)*scale)+unit)
}

func number(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) < 9.95:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// describe says what the cases are.
func describe() string {
	var b strings.Builder
	b.WriteString("\n| case | what clients do |\n|---|---|\n")
	for _, c := range catalog() {
		name := c.name
		if c.held {
			name += " (held back)"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, c.what)
	}
	return b.String()
}

// report returns the tables.
func report(all []outcome) string {
	var b strings.Builder
	b.WriteString(describe())
	for i := range all {
		o := &all[i]
		if i == 0 || all[i-1].server.name != o.server.name {
			fmt.Fprintf(&b, "\n### %s\n\nRuns: %d. Fitted: `--dispatch-delay=%s`.\n\n", o.server.title, len(o.actual), o.delay)
			b.WriteString("| case, level | wait p50: measured (least to most) | predicted | wait p99: measured | predicted | rejected: measured | predicted | seats in use: measured | predicted | goal |\n|---|---|---|---|---|---|---|---|---|---|\n")
		}
		goal := "met"
		if !o.good() {
			goal = "**missed**"
		}
		name := o.name()
		if o.of.held {
			name += " (held back)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, o.p50().text(1000, " ms"), o.p99().text(1000, " ms"), o.rejected().text(100, " %"), o.seats().text(1, ""), goal)
	}
	b.WriteString("\n" + summary(all, false) + "\n" + summary(all, true))
	return b.String()
}

// fittingError is the medianError of the levels whose waits the dispatch delay decides. Where
// a level borrows, they depend on when the server divides its seats, which no log tells.
func fittingError(all []outcome) float64 {
	return medianError(slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return o.of.warmUp > 0 }))
}

// medianError is the median relative error of waits.
func medianError(all []outcome) float64 {
	var parts []float64
	for i := range all {
		parts = append(append(parts, all[i].p50().parts()...), all[i].p99().parts()...)
	}
	return median(parts)
}

// summary says how good the predictions of one half of the cases are.
func summary(all []outcome, held bool) string {
	var levels []outcome
	var spread []float64
	good := 0
	for i := range all {
		o := &all[i]
		if o.of.held != held {
			continue
		}
		levels = append(levels, *o)
		spread = append(append(spread, o.p50().spread()...), o.p99().spread()...)
		if o.good() {
			good++
		}
	}
	if len(levels) == 0 {
		return ""
	}
	which := "Cases to which the simulator was fitted"
	if held {
		which = "Cases that were held back"
	}
	text := fmt.Sprintf("%s: the median error of p50 and p99 is %.1f %%, and %d of %d levels meet the goals.", which, 100*medianError(levels), good, len(levels))
	if len(spread) > 0 {
		text += fmt.Sprintf(" For comparison: two runs of the servers themselves differ by %.1f %% (median).", 100*median(spread))
	}
	return text + "\n"
}
