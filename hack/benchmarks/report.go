package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// table is a Markdown table of one kind of figure.
type table struct {
	title string
	note  string // what was done, in a sentence or two
	rows  []row
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

// report is the section of docs/benchmarks.md.
func report(tables []table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## The server, beside kube-apiserver %s\n\n", strings.TrimPrefix(binaries.KubernetesVersion, "v"))
	fmt.Fprintf(&b, "Written by `make bench` on a machine with %d processors (%s/%s, %s): both servers in turns in one run, each on "+
		"an etcd of its own of the same version, client and servers on the same machine. Figures are medians of the rounds; a ratio "+
		"is this server's figure divided by kube-apiserver's of the same round, given by its median and by the middle half of the "+
		"rounds. Where that half says both, the verdict is *as good as*. Ratios carry over to other machines, figures do not.\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, table := range tables {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", table.title, table.note)
		b.WriteString("| | this server | kube-apiserver | ratio | middle half | wanted | reached |\n|---|---:|---:|---:|---|---:|---|\n")
		for _, row := range table.rows {
			b.WriteString(row.String())
		}
	}
	return b.String()
}
