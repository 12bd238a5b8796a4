package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// table is a Markdown table of one kind of figure.
type table struct {
	title string
	note  string // what was done, in a sentence or two
	// columns are the names of what is compared; empty: the two servers.
	columns [2]string
	rows    []row
	// text is a table of another form, instead of rows.
	text string
}

// row is one figure of both servers, measured in as many rounds.
type row struct {
	what         string
	ours, theirs []float64
	unit         unit
	// target is the most, or for rates the least, that ours/theirs is to be.
	target float64
}

type unit int

const (
	seconds   unit = iota // less is better
	mebibytes             // less is better
	perSecond             // more is better
)

func (u unit) format(value float64) string {
	switch u {
	case seconds:
		return formatDuration(time.Duration(value * float64(time.Second)))
	case mebibytes:
		return fmt.Sprintf("%.0f MiB", value)
	default:
		return fmt.Sprintf("%.0f /s", value)
	}
}

func formatDuration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
	}
}

// ratios are ours/theirs of each round, which saw the same machine.
func (r row) ratios() []float64 {
	ratios := make([]float64, 0, len(r.ours))
	for round := range r.ours {
		ratios = append(ratios, r.ours[round]/r.theirs[round])
	}
	return ratios
}

func (r row) met(ratio float64) bool {
	if r.unit == perSecond {
		return ratio >= r.target
	}
	return ratio <= r.target
}

// verdict is yes or no, or that the middle half of the rounds says both.
func (r row) verdict() string {
	ratios := r.ratios()
	low, high := r.met(quantile(ratios, 0.25)), r.met(quantile(ratios, 0.75))
	switch {
	case low && high:
		return "yes"
	case low || high:
		return "as good as"
	default:
		return "**no**"
	}
}

func (r row) String() string {
	sign := "≤"
	if r.unit == perSecond {
		sign = "≥"
	}
	ratios := r.ratios()
	return fmt.Sprintf("| %s | %s | %s | %.2f | %.2f to %.2f | %s %.2f | %s |\n",
		r.what, r.unit.format(median(r.ours)), r.unit.format(median(r.theirs)),
		median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75), sign, r.target, r.verdict())
}

// report is a section of docs/benchmarks.md.
func report(heading, setting string, tables []table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", heading)
	fmt.Fprintf(&b, "Written by `make bench` on a machine with %d processors (%s/%s, %s): %s\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), setting)
	for _, table := range tables {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", table.title, table.note)
		b.WriteString(table.body())
	}
	return b.String()
}

// body is the table itself.
func (t table) body() string {
	if t.text != "" {
		return t.text
	}
	ours, theirs := "this server", "kube-apiserver"
	if t.columns != [2]string{} {
		ours, theirs = t.columns[0], t.columns[1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | %s | ratio | middle half | wanted | reached |\n|---|---:|---:|---:|---|---:|---|\n", ours, theirs)
	for _, row := range t.rows {
		b.WriteString(row.String())
	}
	return b.String()
}
