package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// report returns the section of docs/evidence/benchmarks.md.
func report(s settings, results []result) string {
	var out strings.Builder
	fmt.Fprintf(&out, `## What lists cost

Written by `+"`make bench`"+` on a machine with %d processors: a server with a memory limit of
%.0f MiB (GOMEMLIMIT at nine tenths; killed above the limit), 600 seats, and FlowSchemas of
%d MB together; %d connections of one service account list for %v, on level workload-low;
another user gets one object 20 times a second. *Seats* is the mean of a list. A seat is
worth 100,000 bytes in memory; *used* is the part of this that a list takes, above 100 %%
where a list takes more than it is charged or more than the level allows.

`, runtime.NumCPU(), s.limit/(1<<20), stored/1_000_000, connections, s.load)
	out.WriteString("| objects | list | list cost | seats | used | lists/s | peak memory | p99 of small requests | |\n")
	out.WriteString("|---|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, r := range results {
		fmt.Fprintf(&out, "| %s | %s | %s | %.1f | %.0f %% | %.1f | %.0f MiB | %v | %s |\n",
			r.size.name, r.list.name, r.cost, r.perList, 100*r.used(), r.rate, r.peak/(1<<20), r.small.Round(100*time.Microsecond), r.verdict())
	}
	out.WriteString(spreads(results))
	return out.String()
}

// spreads returns a table of how much the peaks of the lists of one size differ.
func spreads(results []result) string {
	var out strings.Builder
	out.WriteString("\nThe largest peak of the five lists, beside the smallest:\n\n| objects | count | size | learned |\n|---|---:|---:|---:|\n")
	for _, size := range sizes() {
		fmt.Fprintf(&out, "| %s |", size.name)
		for _, cost := range costs() {
			fmt.Fprintf(&out, " %s |", spread(results, size, cost))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// spread returns the ratio of the largest to the smallest peak. It is unknown for a server without
// memory.
func spread(results []result, size size, cost estimate.ListCost) string {
	smallest, largest, above := math.Inf(1), 0.0, ""
	for _, r := range results {
		if r.size != size || r.cost != cost {
			continue
		}
		smallest, largest = min(smallest, r.peak), max(largest, r.peak)
		if r.killed {
			above = "> "
		}
	}
	if largest == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%s%.1f", above, largest/smallest)
}

// used returns the part of what the seats of a list are worth that the list had in memory.
// A list has at least one seat.
func (r result) used() float64 {
	if r.perList == 0 {
		return 0
	}
	return max(r.list.inMemory(), bytesPerSeat) / (r.perList * bytesPerSeat)
}

func (r result) verdict() string {
	switch {
	case r.killed:
		return "**out of memory**"
	case r.perList == 0:
		return "seats not measured"
	case r.used() < 0.5:
		return "**more than half unused**"
	default:
		return "ok"
	}
}
