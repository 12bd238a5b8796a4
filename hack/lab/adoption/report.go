package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// target is the greatest wanted ratio of the mice's p99 to the p99 of mice alone, where a backend
// is the bottleneck.
const target = 1.3

// table is a table of the page, with a row or more for each server.
type table struct {
	name, head string
	header     measurement.Row
	rows       []measurement.Row // of the measured server
}

// publish writes what was measured of the server into the two tables of the page. The rows of other servers stay.
func (r result) publish(output string) error {
	for _, of := range []func() (table, error){r.summary, r.latency} {
		t, err := of()
		if err != nil {
			return err
		}
		page, err := read(output)
		if err != nil {
			return err
		}
		rows := rowsOf(page, t.name)
		rows[r.server.name] = ""
		for _, row := range t.rows {
			rows[r.server.name] += row.String()
		}
		var text strings.Builder
		text.WriteString(t.head + "\n" + t.header.String() + t.header.Rule())
		for _, s := range servers() {
			text.WriteString(rows[s.name])
		}
		if err := measurement.Publish("make adoption", t.name, output, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// read returns a page, named from the top of the repository.
func read(page string) (string, error) {
	root, err := binaries.Root()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(root, page))
	return string(text), err
}

// rowsOf returns the rows of a section's table by the server in their first cell.
func rowsOf(page, section string) map[string]string {
	rows := map[string]string{}
	_, text, _ := strings.Cut(page, "<!-- "+section+": begin")
	text, _, _ = strings.Cut(text, "<!-- "+section+": end")
	for line := range strings.Lines(text) {
		if cell, ok := strings.CutPrefix(line, "| "); ok {
			rows[strings.Fields(cell)[0]] += line
		}
	}
	return rows
}

const summaryHead = `## The six

Lines of main.go, modules that are only in the graph, and the time until the server is ready: with pkg/apf, as it is,
and with the library's engine. *p99* divides the p99 of mice under an elephant's load by their p99 alone.
`

func (r result) summary() (table, error) {
	t := table{name: "summary", head: summaryHead, header: measurement.Row{
		"server", "lines", "lines, library", "modules added", "ready after", "as it is", "library", "library without permissions",
		"p99, no flow control", "p99, k8s.io/apiserver", "p99, pkg/apf", "seats", "requests",
	}}
	_, version, _ := strings.Cut(r.server.source, "@")
	row := measurement.Row{
		r.server.name + " " + version, r.lines[fair].String(), r.lines[library].String(), strconv.Itoa(len(r.added)),
	}
	for _, name := range []string{fair, alone, library} {
		value, err := r.show(name, ready)
		if err != nil {
			return t, err
		}
		row = append(row, value)
	}
	row = append(row, r.readiness(library))
	for _, name := range []string{without, library, fair} {
		ratios, err := r.ratios(name)
		if err != nil {
			return t, err
		}
		row = append(row, fmt.Sprintf("%.2f", measurement.Summarize(ratios).Center))
	}
	t.rows = []measurement.Row{append(row, strconv.Itoa(r.server.seats), r.server.about)}
	return t, nil
}

func (r result) readiness(program string) string {
	took, ok := r.waited[program]
	if !ok {
		return fmt.Sprintf("**no**, not within %v", patience)
	}
	return fmt.Sprintf("yes, after %v", took.Round(10*time.Millisecond))
}

func (r result) show(name, unit string) (string, error) {
	values, err := r.measured.Of(measurement.Figure{Benchmark: name, Unit: unit})
	if err != nil {
		return "", err
	}
	return measurement.Format(measurement.Summarize(values).Center, unit), nil
}

// latency returns what the mice got in each case.
func (r result) latency() (table, error) {
	t := table{
		name: "latency",
		head: fmt.Sprintf("## Latency of mice\n\nMedians of the rounds on a machine with %d processors.\n", runtime.NumCPU()),
		header: measurement.Row{
			"server", "case", "rounds", "p50", "p99", "divided by alone", "lowest to highest", "p99 in the first ten seconds", "elephant served",
		},
	}
	for _, c := range []struct{ name, title string }{
		{alone, "mice alone"}, {without, "elephant, no flow control"},
		{library, "elephant, k8s.io/apiserver"}, {fair, "elephant, pkg/apf"},
	} {
		row, err := r.contest(c.name)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, append(measurement.Row{r.server.name, c.title, strconv.Itoa(r.rounds)}, row...))
	}
	return t, nil
}

func (r result) contest(name string) (row measurement.Row, err error) {
	for _, unit := range []string{p50, p99} {
		value, err := r.show(name, unit)
		if err != nil {
			return nil, err
		}
		row = append(row, value)
	}
	if name == alone {
		return append(row, "1", "", "", ""), nil
	}
	ratios, err := r.ratios(name)
	if err != nil {
		return nil, err
	}
	row = append(row, fmt.Sprintf("%.2f", measurement.Summarize(ratios).Center), fmt.Sprintf("%.2f to %.2f", slices.Min(ratios), slices.Max(ratios)))
	for _, unit := range []string{p99Early, served} {
		value, err := r.show(name, unit)
		if err != nil {
			return nil, err
		}
		row = append(row, value)
	}
	return row, nil
}

// ratios are the mice's p99 divided by the p99 of mice alone in the same round.
func (r result) ratios(name string) ([]float64, error) {
	return r.measured.Ratios(measurement.Figure{Benchmark: name, Unit: p99}, measurement.Figure{Benchmark: alone, Unit: p99})
}

// faults returns the promises of pkg/apf that do not hold.
func (r result) faults() (faults []string) {
	for _, module := range r.raised {
		faults = append(faults, "pkg/apf raises a module: "+module)
	}
	if _, ok := r.waited[fair]; !ok {
		faults = append(faults, "with pkg/apf the server is not ready without further permissions")
	}
	ratios, err := r.ratios(fair)
	if err != nil {
		return append(faults, err.Error())
	}
	if ratio := measurement.Summarize(ratios).Center; r.server.backend.Places > 0 && ratio > target {
		faults = append(faults, fmt.Sprintf("p99 of the mice is %.2f times alone, more than %.1f", ratio, target))
	}
	return faults
}
