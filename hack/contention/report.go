package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the section of docs/benchmarks.md.
func report(results map[string][]result) string {
	var text strings.Builder
	fmt.Fprintf(&text, `## An elephant and mice on one level

Written by `+"`make bench`"+` on a machine with %d processors: a real server, one level with
4 seats, one user with %d connections that never pause and list all schemas, and %d
users who get one object each second, for %s; the cases in turns, medians of %d
rounds, client and server on the same machine. The peer is this server with filter,
estimates and engine of k8s.io/apiserver.

| | mice p50 | mice p99 | p99 beside mice alone | mice refused | elephant served |
|---|---:|---:|---:|---:|---:|
`, runtime.NumCPU(), elephantConnections, mice, runTime, len(results[cases()[0].name]))
	alone := median(results[cases()[0].name], p99)
	for _, c := range cases() {
		rounds := results[c.name]
		fmt.Fprintf(&text, "| %s | %s | %s | %.1f | %.0f | %s |\n", c.name,
			milliseconds(median(rounds, p50)), milliseconds(median(rounds, p99)), median(rounds, p99)/alone,
			median(rounds, func(r result) float64 { return float64(r.mice.Refused()) }), served(c, rounds))
	}
	return text.String()
}

func p50(r result) float64 { return r.mice.Quantile(0.50).Seconds() }
func p99(r result) float64 { return r.mice.Quantile(0.99).Seconds() }

func served(c contest, rounds []result) string {
	if !c.elephant {
		return ""
	}
	perSecond := median(rounds, func(r result) float64 { return float64(r.elephant.Served()) / (warmUp + runTime).Seconds() })
	return fmt.Sprintf("%.0f /s", perSecond)
}

func milliseconds(seconds float64) string {
	return fmt.Sprintf("%.1f ms", seconds*float64(time.Second/time.Millisecond))
}

func median(rounds []result, figure func(result) float64) float64 {
	values := make([]float64, 0, len(rounds))
	for _, round := range rounds {
		values = append(values, figure(round))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
