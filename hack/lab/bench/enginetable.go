package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// row is a line of the table: a figure of this engine, the figure to compare it
// with, the wanted ratio, and the most allocations.
type row struct {
	what         string
	ours, beside measurement.Figure
	wanted       float64
	allocations  float64
}

// anyNumber means that the row checks and shows no allocations.
const anyNumber = -1

func perOp(benchmark string) measurement.Figure { return figure(benchmark, "sec/op") }

func rows() []row {
	cores := func(unit string) measurement.Figure { return figure("Cores-2", unit) }
	saturated := func(unit string) measurement.Figure { return figure("SaturatedCores-2", unit) }
	manyFlows := func(unit string) measurement.Figure { return figure("ManyFlows/100000-2", unit) }
	meanwhile := func(unit string) measurement.Figure { return figure("Apply-2", unit) }
	filtered := func(unit string) measurement.Figure { return figure("Filter/get-2", unit) }
	counted := func(flows string) measurement.Figure { return figure("HeavyFlows/"+flows+"-2", "sec-counted") }
	none := measurement.Figure{}
	return []row{
		{"`Handle`, uncontended, 1 core", perOp("Uncontended/ours"), perOp("Uncontended/peer"), 0.1, 2},
		{"the same on 2 cores, beside this engine on 1", cores("sec-all"), cores("sec-one"), 1 / 1.7, anyNumber},
		{"engines that share nothing on 2 cores, beside this engine on 1", cores("sec-apart"), cores("sec-one"), 0, anyNumber},
		{"the same on 2 cores, beside the peer", perOp("UncontendedParallel/ours-2"), perOp("UncontendedParallel/peer-2"), 0.1, 2},
		{"1,000 more schemas, beside this engine with none", perOp("MoreSchemas/1000/ours"), perOp("MoreSchemas/0/ours"), 1.5, 2},
		{"10,000 more schemas, beside this engine with none", perOp("MoreSchemas/10000/ours"), perOp("MoreSchemas/0/ours"), 1.5, 2},
		{"1,000 more schemas, beside the peer", perOp("MoreSchemas/1000/ours"), perOp("MoreSchemas/1000/peer"), 0.1, 2},
		{"10,000 more schemas, beside the peer", perOp("MoreSchemas/10000/ours"), perOp("MoreSchemas/10000/peer"), 0.1, 2},
		{"saturated, 512 goroutines, 60 seats", perOp("Saturated/ours-2"), perOp("Saturated/peer-2"), 0.1, 4},
		{"saturated on 2 cores, beside this engine on 1", saturated("sec-all"), saturated("sec-one"), 1.2, anyNumber},
		{"a channel instead of an engine on 2 cores, beside it on 1", saturated("sec-channel-all"), saturated("sec-channel-one"), 0, anyNumber},
		{"saturated by requests that compute for 20 µs on 2 cores, beside 1", saturated("sec-work-all"), saturated("sec-work-one"), 1.2, anyNumber},
		{"1,000 queues, 100,000 flows, beside 128 queues with as many", manyFlows("sec-1000queues"), manyFlows("sec-128queues"), 1, 4},
		{"exempt", perOp("Exempt/ours"), none, 300e-9, 2},
		{"exempt, beside the peer", perOp("Exempt/ours"), perOp("Exempt/peer"), 0.1, 2},
		{"through the whole filter", filtered("ours-sec"), filtered("peer-sec"), 0.25, anyNumber},
		{"counting the seat-seconds of a request, 100 flows", counted("100"), none, 50e-9, anyNumber},
		{"the same, 100,000 flows", counted("100000"), none, 50e-9, anyNumber},
		{"remembering a rejected request, 100 flows", perOp("Rejections/100"), none, 50e-9, 0},
		{"the learned cost of a list, read", perOp("LearnedEstimate"), none, 60e-9, 0},
		{"the same, by all cores while others learn", perOp("LearnedEstimateParallel-2"), none, 60e-9, anyNumber},
		{"applying 10,000 schemas and 500 levels", perOp("Apply-2"), none, 0.1, anyNumber},
		{"the delay of a request meanwhile, 99.99 %", meanwhile("us-p99.99-applying"), none, 1000, anyNumber},
		{"the slowest request meanwhile", meanwhile("us-slowest-applying"), none, 1000, anyNumber},
		{"the same, beside an unrelated computation", meanwhile("us-slowest-applying"), meanwhile("us-slowest-computing"), 0, anyNumber},
		{"the same, beside an idle machine", meanwhile("us-slowest-applying"), meanwhile("us-slowest-idle"), 0, anyNumber},
		{"memory of a waiting request", figure("WaitingRequest-2", "B/waiting"), none, 1024, anyNumber},
		{"memory of an idle level", figure("IdleLevel-2", "B/level-used"), none, 64 << 10, anyNumber},
	}
}

// engineReport returns the section of docs/evidence/benchmarks.md.
func engineReport(measured measurement.Rounds, rounds int) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `## The engine beside the library's

Written by `+"`make bench`"+` on a machine with %d processors (%s): both engines in one
process, in turns, with the built-in configuration, %d rounds.
While requests were measured, the registries of the library and of this project were gathered
and written as text %.0f times a second in all benchmarks alike, except memory and applying.

Engines that share nothing, one for each goroutine, show the gain of a second core on
this machine: an upper bound for one engine.

The delay of a request that arrives while a configuration is applied includes its wait
for a processor. The unrelated computation takes as long and allocates as much without
the engine: the delays beside it come from scheduler, garbage collector and machine.
The slowest is the median over the slowest request of each application.

`, runtime.NumCPU(), runtime.Version(), rounds, measurement.Summarize(measured.All("scrapes/s")).Center)
	header := slices.Insert(measurement.Header("this engine", "beside"), allocationsAt, "allocations")
	text.WriteString(header.String() + header.Rule())
	var errs []error
	for _, r := range rows() {
		line, err := r.line(measured)
		errs = append(errs, err)
		text.WriteString(line.String())
	}
	return text.String(), errors.Join(errs...)
}

// allocationsAt is the index of the allocations' column, before the verdict,
// which depends on them too.
const allocationsAt = 7

func (r row) line(measured measurement.Rounds) (measurement.Row, error) {
	line, err := measured.Row(measurement.Comparison{What: r.what, Ours: r.ours, Beside: r.beside, Wanted: r.wanted})
	if err != nil || r.allocations == anyNumber {
		return slices.Insert(append(measurement.Row{}, line...), min(len(line), allocationsAt), ""), err
	}
	counts, err := measured.Of(figure(r.ours.Benchmark, "allocs/op"))
	if err != nil {
		return nil, err
	}
	typical := measurement.Summarize(counts).Center
	if typical > r.allocations {
		line[allocationsAt] = measurement.Missed
	}
	return slices.Insert(line, allocationsAt, measurement.Format(typical, "allocs/op")), nil
}
