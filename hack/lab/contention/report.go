package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// report returns the section of docs/evidence/benchmarks.md.
func report(measured measurement.Rounds, rounds int) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `## An elephant and mice on one level

Written by `+"`make bench`"+` on a machine with %d processors: a real server, one level,
one user with %d connections that never pause and list all schemas, and %d users who
get one object each second, for %s; the cases in turns, medians of %d rounds, client
and server on the same machine. *Beside alone* is the ratio to the p99 of mice alone in the
same round: its median, and the interval that holds the true median with 95 %% confidence. The
peer is this server with filter, estimates and engine of k8s.io/apiserver. Waiting for seats
and execution are means of the mice's requests by the server's own metrics; the rest of their
time goes to the network, the processors and the client.
`, runtime.NumCPU(), elephantConnections, mice, runTime, rounds)
	for _, s := range settings() {
		fmt.Fprintf(&text, "\n### %s\n\n%s The level has %d seats.\n\n", s.title, s.about, s.seats)
		header := measurement.Row{"case", "mice p50", "mice p99", "beside alone", "interval", "waiting for seats", "execution", "mice rejected", "elephant served"}
		text.WriteString(header.String() + header.Rule())
		for _, c := range cases() {
			row, err := row(measured, s, c)
			if err != nil {
				return "", err
			}
			text.WriteString(row.String())
		}
	}
	return text.String(), nil
}

func row(measured measurement.Rounds, s setting, c contest) (measurement.Row, error) {
	figure := func(c contest, unit string) measurement.Figure {
		return measurement.Figure{Benchmark: benchmark(s, c), Unit: unit}
	}
	ratios, err := measured.Ratios(figure(c, p99), figure(cases()[0], p99))
	if err != nil {
		return nil, err
	}
	show := func(unit string) string {
		values, err := measured.Of(figure(c, unit))
		if err != nil {
			return "" // the case does not have this figure
		}
		return measurement.Format(measurement.Summarize(values).Center, unit)
	}
	return measurement.Row{
		c.name, show(p50), show(p99), fmt.Sprintf("%.1f", measurement.Summarize(ratios).Center), measurement.Interval(ratios),
		show(waiting), show(execution), show(rejected), show(elephantsServed),
	}, nil
}
