package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report returns the section of docs/evidence/reliability.md.
func report(s settings, results []result) string {
	var out strings.Builder
	fmt.Fprintf(&out, `## When the watch cache lags

Written by `+"`make lag`"+` on a machine with %d processors. A server with more than %.0f GiB is killed. %d FlowSchemas of
%d bytes. %d users list all of them, of the latest state, without pause, for %v without a
fault and as long under it. %d others get one object ten times a second. *Peak* is resident
memory, relative to the peak without the fault. *Gets* is their p99 beside the lists, relative to
the p99 under the same fault without lists. *Read* is what etcd sent. *Stale* counts lists of an
object that changes which showed an older state than the latest when they were sent.

| fault | server | lists served, rejected, failed | peak | of etcd | read | gets | stale |
|---|---|---:|---:|---:|---:|---:|---:|
`, runtime.NumCPU(), s.limit/(1<<30), s.objects, s.size, elephants, s.load, mice)
	for i := range results {
		r := &results[i]
		fmt.Fprintf(&out, "| %s | %s | %d, %d, %d (without: %d) | %s%.0f MiB, %.2f | %.0f MiB, %.2f | %.0f MB | %v, %.2f (without: %v) | %d of %d |\n",
			r.fault, r.server, r.with.served, r.with.rejected, r.with.failed, r.without.served,
			r.end(), mebibytes(r.with.peak), r.with.peak/r.without.peak, mebibytes(r.with.etcd), r.with.etcd/r.without.etcd, float64(r.with.read)/1e6,
			r.with.gets.Round(time.Millisecond), float64(r.with.gets)/float64(r.alone), r.without.gets.Round(time.Millisecond), r.stale, r.seen)
	}
	return out.String()
}

// end says how the server ended, if it did.
func (r *result) end() string {
	if r.killed {
		return "**killed** above "
	}
	return ""
}

func mebibytes(bytes float64) float64 { return bytes / (1 << 20) }

// worst returns a table of the worst that happened to each server in each fault, and of the peaks
// of all runs: a peak without the fault that varies says as much of a ratio as the fault does.
func worst(results []result) string {
	type key struct{ fault, server string }
	runs := map[key][]result{}
	var order []key
	for _, r := range results {
		k := key{r.fault, r.server}
		if runs[k] == nil {
			order = append(order, k)
		}
		runs[k] = append(runs[k], r)
	}
	var out strings.Builder
	out.WriteString("| fault | server | runs | lists served, rejected, failed | largest peak | of etcd | stale | peak without in MiB: least, median, most | with | of medians |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, k := range order {
		fmt.Fprintf(&out, "| %s | %s | %d | %s |\n", k.fault, k.server, len(runs[k]), worstOf(runs[k]))
	}
	return out.String()
}

// worstOf returns the cells of worst for the runs of one server in one fault.
func worstOf(runs []result) string {
	var all phase
	var peak, etcd float64
	var seen, stale int
	var without, with []float64
	for _, r := range runs {
		peak, etcd = max(peak, r.with.peak/r.without.peak), max(etcd, r.with.etcd/r.without.etcd)
		all.served += r.with.served
		all.rejected += r.with.rejected
		all.failed += r.with.failed
		seen, stale = seen+r.seen, stale+r.stale
		without, with = append(without, r.without.peak), append(with, r.with.peak)
	}
	return fmt.Sprintf("%d, %d, %d | %.2f | %.2f | %d of %d | %s | %s | %.2f", all.served, all.rejected, all.failed,
		peak, etcd, stale, seen, spread(without), spread(with), median(with)/median(without))
}

// spread returns the least, the median and the most of some bytes, in MiB.
func spread(bytes []float64) string {
	return fmt.Sprintf("%.0f, %.0f, %.0f", mebibytes(slices.Min(bytes)), mebibytes(median(bytes)), mebibytes(slices.Max(bytes)))
}

// median returns the middle value, and of an even number the mean of both; there must be one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
