package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// table is a Markdown table of one kind of figure.
type table struct {
	title string
	note  string // describes the measurement
	// columns are the names of the two columns; empty means the two servers.
	columns [2]string
	rows    []measurement.Comparison
}

// Units of the figures.
const (
	seconds    = "sec"
	processor  = "cpu-sec"
	p50        = "p50-sec"
	p99        = "p99-sec"
	memory     = "memory-B"
	peakMemory = "peak-B"
)

// server is one of the two servers. Its name is part of the results' names.
type server int

const (
	ours server = iota
	theirs
)

func (s server) of(benchmark string) string {
	return benchmark + "/server=" + [...]string{"flowcontrol-apiserver", "kube-apiserver"}[s]
}

// record adds one round of a benchmark of a server to the log.
func (s settings) record(o *harness.Owner, benchmark string, by server, times int, values measurement.Values) {
	o.Check(s.log.Add(by.of(benchmark), times, values))
}

// compare compares a figure of this server with kube-apiserver's.
func compare(what, benchmark, unit string, wanted float64) measurement.Comparison {
	return measurement.Comparison{What: what, Ours: figure(ours.of(benchmark), unit), Beside: figure(theirs.of(benchmark), unit), Wanted: wanted}
}

func figure(benchmark, unit string) measurement.Figure {
	return measurement.Figure{Benchmark: benchmark, Unit: unit}
}

// tables returns the section with these tables.
func (s section) tables(tables []table, measured measurement.Rounds) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", s.heading)
	fmt.Fprintf(&b, "Written by `make bench` on a machine with %d processors (%s/%s, %s): %s\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), s.setting)
	for _, table := range tables {
		body, err := table.body(measured)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s", table.title, table.note, body)
	}
	return b.String(), nil
}

// body is the table itself.
func (t table) body(measured measurement.Rounds) (string, error) {
	header := measurement.Header("this server", "kube-apiserver")
	if t.columns != [2]string{} {
		header = measurement.Header(t.columns[0], t.columns[1])
	}
	var body strings.Builder
	body.WriteString(header.String() + header.Rule())
	for _, comparison := range t.rows {
		row, err := measured.Row(comparison)
		if err != nil {
			return "", err
		}
		body.WriteString(row.String())
	}
	return body.String(), nil
}
