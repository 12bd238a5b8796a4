package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// rounds are the results of one setting, by case.
type rounds []map[string]result

// report is the section of docs/benchmarks.md; measured is by setting.
func report(measured []rounds) string {
	var text strings.Builder
	fmt.Fprintf(&text, `## An elephant and mice on one level

Written by `+"`make bench`"+` on a machine with %d processors: a real server, one level,
one user with %d connections that never pause and list all schemas, and %d users who
get one object each second, for %s; the cases in turns, medians of %d rounds, client
and server on the same machine. The peer is this server with filter, estimates and
engine of k8s.io/apiserver. Waiting for seats and execution are means of the mice's
requests by the server's own metrics; the rest of their time goes to the network, the
processors and the client.
`, runtime.NumCPU(), elephantConnections, mice, runTime, len(measured[0]))
	for i, s := range settings() {
		fmt.Fprintf(&text, "\n### %s\n\n%s The level has %d seats.\n\n", s.title, s.about, s.seats)
		text.WriteString(table(measured[i]))
	}
	return text.String()
}

func table(r rounds) string {
	var text strings.Builder
	text.WriteString(`| | mice p50 | mice p99 | p99 beside mice alone | waiting for seats | execution | mice refused | elephant served |
|---|---:|---:|---:|---:|---:|---:|---:|
`)
	alone := r.median(cases()[0], p99)
	for _, c := range cases() {
		fmt.Fprintf(&text, "| %s | %s | %s | %.1f | %s | %s | %.0f | %s |\n", c.name,
			milliseconds(r.median(c, p50)), milliseconds(r.median(c, p99)), r.median(c, p99)/alone,
			r.mean(c, func(one result) time.Duration { return one.waited }),
			r.mean(c, func(one result) time.Duration { return one.executed }),
			r.median(c, func(one result) float64 { return float64(one.mice.Refused()) }), r.served(c))
	}
	return text.String()
}

func p50(r result) float64 { return r.mice.Quantile(0.50).Seconds() }
func p99(r result) float64 { return r.mice.Quantile(0.99).Seconds() }

// mean shows the median of a mean that a server without flow control does not
// have.
func (r rounds) mean(c contest, figure func(result) time.Duration) string {
	if len(c.args) > 0 {
		return ""
	}
	return milliseconds(r.median(c, func(one result) float64 { return figure(one).Seconds() }))
}

func (r rounds) served(c contest) string {
	if !c.elephant {
		return ""
	}
	perSecond := r.median(c, func(one result) float64 { return float64(one.elephant.Served) / (warmUp + runTime).Seconds() })
	return fmt.Sprintf("%.0f /s", perSecond)
}

func milliseconds(seconds float64) string {
	return fmt.Sprintf("%.2f ms", seconds*float64(time.Second/time.Millisecond))
}

func (r rounds) median(c contest, figure func(result) float64) float64 {
	values := make([]float64, 0, len(r))
	for _, round := range r {
		values = append(values, figure(round[c.name]))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
