package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// row is a line of the table: a figure of ours, what it is compared with, and
// what is wanted.
type row struct {
	what       string
	ours       quantity
	theirs     quantity // of the peer, or of ours in another case; none: no ratio
	most       float64  // the most that ours/theirs may be, or ours itself, if theirs is none; 0: any
	mostAllocs float64  // the most of these; negative: not limited
}

// quantity is a measured figure.
type quantity struct{ benchmark, unit string }

func ns(benchmark string) quantity { return quantity{benchmark, "ns/op"} }

func rows() []row {
	cores := func(unit string) quantity { return quantity{"Cores-2", unit} }
	manyFlows := func(unit string) quantity { return quantity{"ManyFlows/100000-2", unit} }
	meanwhile := func(unit string) quantity { return quantity{"Apply-2", unit} }
	filtered := func(unit string) quantity { return quantity{"Filter/get-2", unit} }
	return []row{
		{what: "`Handle`, uncontended, 1 core", ours: ns("Uncontended/ours-1"), theirs: ns("Uncontended/peer-1"), most: 0.1, mostAllocs: 2},
		{what: "the same on 2 cores, beside ours on 1", ours: cores("ns-all"), theirs: cores("ns-one"), most: 1 / 1.7, mostAllocs: -1},
		{what: "the same of engines that share nothing, beside ours on 1 core", ours: cores("ns-apart"), theirs: cores("ns-one"), mostAllocs: -1},
		{what: "the same on 2 cores, beside the peer", ours: ns("UncontendedParallel/ours-2"), theirs: ns("UncontendedParallel/peer-2"), most: 0.1, mostAllocs: 2},
		{what: "1,000 more schemas, beside ours with none", ours: ns("MoreSchemas/1000/ours-1"), theirs: ns("MoreSchemas/0/ours-1"), most: 1.5, mostAllocs: 2},
		{what: "10,000 more schemas, beside ours with none", ours: ns("MoreSchemas/10000/ours-1"), theirs: ns("MoreSchemas/0/ours-1"), most: 1.5, mostAllocs: 2},
		{what: "1,000 more schemas, beside the peer", ours: ns("MoreSchemas/1000/ours-1"), theirs: ns("MoreSchemas/1000/peer-1"), most: 0.1, mostAllocs: 2},
		{what: "10,000 more schemas, beside the peer", ours: ns("MoreSchemas/10000/ours-1"), theirs: ns("MoreSchemas/10000/peer-1"), most: 0.1, mostAllocs: 2},
		{what: "saturated, 512 goroutines, 60 seats", ours: ns("Saturated/ours-2"), theirs: ns("Saturated/peer-2"), most: 0.1, mostAllocs: 4},
		{what: "1,000 queues, 100,000 flows, beside 128 queues with as many", ours: manyFlows("ns-1000queues"), theirs: manyFlows("ns-128queues"), most: 1, mostAllocs: 4},
		{what: "exempt (at most 300 ns)", ours: ns("Exempt/ours-1"), most: 300, mostAllocs: 2},
		{what: "exempt, beside the peer", ours: ns("Exempt/ours-1"), theirs: ns("Exempt/peer-1"), most: 0.1, mostAllocs: 2},
		{what: "through the whole filter", ours: filtered("ours-ns"), theirs: filtered("peer-ns"), most: 0.125, mostAllocs: -1},
		{what: "applying 10,000 schemas and 500 levels (at most 100 ms)", ours: ns("Apply-2"), most: 100e6, mostAllocs: -1},
		{what: "the delay of a request meanwhile, 99.99 % (at most 1 ms)", ours: meanwhile("us-p99.99-applying"), most: 1000, mostAllocs: -1},
		{what: "the slowest request meanwhile (at most 1 ms)", ours: meanwhile("us-slowest-applying"), most: 1000, mostAllocs: -1},
		{what: "the same, beside that of an unrelated computation", ours: meanwhile("us-slowest-applying"), theirs: meanwhile("us-slowest-computing"), mostAllocs: -1},
		{what: "the same, beside that of an idle machine", ours: meanwhile("us-slowest-applying"), theirs: meanwhile("us-slowest-idle"), mostAllocs: -1},
		{what: "memory of a waiting request (at most 1 KB)", ours: quantity{"WaitingRequest-2", "B/waiting"}, most: 1024, mostAllocs: -1},
		{what: "memory of an idle level (at most 64 KB)", ours: quantity{"IdleLevel-2", "B/level-used"}, most: 64 << 10, mostAllocs: -1},
	}
}

// report is the section of docs/benchmarks.md.
func (f figures) report(rounds int) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `## The engine, beside that of k8s.io/apiserver

Written by `+"`make bench`"+` on a machine with %d processors (%s): both engines in one
process, in turns, with the built-in configuration; medians of %d rounds. A ratio is our figure
divided by the one beside it in the same round, given by its median and by the middle
half of the rounds. Where that half says both, the verdict is *as good as*. While requests were measured, the registry
of the library and ours were gathered and written as text %.0f times a second in all
benchmarks alike, but for those of memory and of applying.

Engines that share nothing, one for each goroutine, show what a second core brings
on this machine: that of one engine cannot bring more.

The delay of a request that comes while a configuration is applied includes its wait
for a processor. The unrelated computation beside it takes as long and allocates as
much, but has nothing to do with the engine: what requests suffer from that is due to
scheduler, garbage collector and machine. The slowest is the median of the slowest of
each application.

| case | ours | beside | ratio | middle half | wanted | allocations | reached |
|---|---:|---:|---:|---|---:|---:|---|
`, runtime.NumCPU(), runtime.Version(), rounds, f.typical("scrapes/s"))
	var errs []error
	for _, r := range rows() {
		line, err := f.line(r)
		errs = append(errs, err)
		text.WriteString(line)
	}
	return text.String(), errors.Join(errs...)
}

func (f figures) line(r row) (string, error) {
	ours, err := f.of(r.ours)
	if err != nil {
		return "", err
	}
	compared, beside, ratio, half, wanted := ours, "", "", "", ""
	if r.theirs.benchmark != "" {
		theirs, err := f.of(r.theirs)
		if err != nil {
			return "", err
		}
		if compared, err = f.ratio(r.ours, r.theirs); err != nil {
			return "", err
		}
		beside, ratio = show(theirs.median, r.theirs.unit), fmt.Sprintf("%.3f", compared.median)
		half = fmt.Sprintf("%.3f to %.3f", compared.low, compared.high)
		if r.most > 0 {
			wanted = fmt.Sprintf("≤ %.3f", r.most)
		}
	}
	verdict, allocations := r.verdict(compared), ""
	if r.mostAllocs >= 0 {
		allocs, err := f.of(quantity{r.ours.benchmark, "allocs/op"})
		if err != nil {
			return "", err
		}
		allocations = fmt.Sprintf("%.0f", allocs.median)
		if allocs.median > r.mostAllocs {
			verdict = missed
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.what, show(ours.median, r.ours.unit), beside, ratio, half, wanted, allocations, verdict), nil
}

// show prints a figure with a unit that fits a person.
func show(value float64, unit string) string {
	switch {
	case strings.HasPrefix(unit, "B/"):
		return fmt.Sprintf("%.0f B", value)
	case strings.HasPrefix(unit, "us-") && value >= 1000:
		return fmt.Sprintf("%.1f ms", value/1e3)
	case strings.HasPrefix(unit, "us-"):
		return fmt.Sprintf("%.1f µs", value)
	case value >= 1e6:
		return fmt.Sprintf("%.1f ms", value/1e6)
	case value >= 1e4:
		return fmt.Sprintf("%.1f µs", value/1e3)
	}
	return fmt.Sprintf("%.0f ns", value)
}

const missed = "**no**"

// verdict goes by the median, and for ratios says so where the rounds differ.
func (r row) verdict(compared spread) string {
	switch {
	case r.most == 0:
		return ""
	case r.theirs.benchmark != "" && compared.low <= r.most && r.most < compared.high:
		return "as good as"
	case compared.median <= r.most:
		return "yes"
	}
	return missed
}
