package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// target is the greatest wanted ratio of the mice's p99 to the p99 of mice alone, where a backend
// is the bottleneck.
const target = 1.3

func (r result) report() (string, error) {
	var text strings.Builder
	name, version, _ := strings.Cut(r.server.source, "@")
	fmt.Fprintf(&text, "## %s %s\n\n%s Total of seats: %d. Module `%s`; a machine with %d processors; medians of %d rounds.\n\n",
		r.server.name, version, r.server.about, r.server.seats, name, runtime.NumCPU(), r.rounds)
	if err := r.contests(&text); err != nil {
		return "", err
	}
	return text.String(), nil
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

// contests writes what the mice got.
func (r result) contests(text *strings.Builder) error {
	header := measurement.Row{"case", "mice p50", "mice p99", "beside alone", "lowest to highest", "p99 in the first ten seconds", "elephant served"}
	text.WriteString(header.String() + header.Rule())
	for _, c := range []struct{ name, title string }{
		{alone, "mice alone"}, {without, "elephant, no flow control"},
		{library, "elephant, k8s.io/apiserver"}, {fair, "elephant, pkg/apf"},
	} {
		row, err := r.contest(c.name)
		if err != nil {
			return err
		}
		text.WriteString(append(measurement.Row{c.title}, row...).String())
	}
	return nil
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
