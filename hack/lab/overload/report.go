package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// method returns the section of docs/evidence/benchmarks.md that says how is measured.
func method() string {
	return fmt.Sprintf(`## Overload

Measured by `+"`make overload`"+`: servers in turns, each with one of the totals. An elephant sends requests at random
times, on shared connections (HTTP/2), so many times as often as the server answers a few connections without a pause; they
are *good* if they are answered with 200 within %v. An important client of another level gets an object every %v; its p99 is
the median of the rounds. A total that moves has each load before the rounds until its seats have hardly changed for
%v, or for the time that is stated; it starts at the third of the static totals, and stays within all four. Good requests a
second are the median of the rounds. *Beside the best* divides them by the good requests of the best static total, by median, in
the same round: the median, and the interval that holds the true one with 95 %% confidence. Memory is the peak while a server
has a load, also before the rounds. Client, server and etcd share the machine. Gradient2 and Vegas are limits by latency, with
their published rules; *alone* is an adaptive total that knows one signal only. For these the seats of the elephant's level are
set by the API every second, within the same bounds, and every other round is theirs too.
`, patience, mousePace, calm)
}

// report returns the section about a shortage.
func report(s settings, short shortage, results []*result) string {
	header := measurement.Row{"load", "seats", "good, per second", "beside the best", "rejected", "late", "important p99", "of it when quiet", "its rejected", "peak memory", "deviation of the seats"}
	return fmt.Sprintf("### %s\n\n%s\n\nMeasured on a machine with %d processors, in %d rounds of %v; a total that moves has %v at most to come to rest.\n\n%s%s%s",
		short.title, short.about, runtime.NumCPU(), s.rounds, s.load, s.settle, header, header.Rule(), rows(results))
}

// rows returns the rows of the results of one shortage.
func rows(results []*result) string {
	var text strings.Builder
	for _, r := range results {
		sent := max(1, r.outcome.Good+r.outcome.Rejected+r.outcome.Late+r.outcome.Failed)
		share := func(n int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(sent)) }
		memory, deviation := fmt.Sprintf("%.0f MiB", r.peak/mebibyte), ""
		if r.outOfMemory() {
			memory += ", **above the limit**"
		}
		if r.regime.moves {
			mean, d := meanAndDeviation(r.seats)
			deviation = fmt.Sprintf("%.1f %%", 100*d/max(1, mean))
		}
		text.WriteString(measurement.Row{
			fmt.Sprintf("%g times", r.factor), r.name(), fmt.Sprintf("%.1f", r.goodput()), r.beside(best(r, results)),
			share(r.outcome.Rejected), share(r.outcome.Late + r.outcome.Failed), duration(measurement.Summarize(r.busy).Center).String(), duration(r.quiet).String(), fmt.Sprint(r.rejected), memory, deviation,
		}.String())
	}
	return text.String()
}

// best returns the static total with the highest goodput under the load of r, or r without one.
func best(r *result, results []*result) *result {
	found := r
	for _, other := range results {
		if other.factor != r.factor || other.regime.moves || other.outOfMemory() {
			continue
		}
		if found.regime.moves || found.outOfMemory() || other.goodput() > found.goodput() {
			found = other
		}
	}
	return found
}
