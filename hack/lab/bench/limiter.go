package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// limiterRequests are the requests of each run.
const limiterRequests = 50_000

// measureLimiter compares package limiter with golang.org/x/sync/semaphore and the adaptive limiter of failsafe-go, by
// the benchmarks of this package, and the schedule with others in virtual time.
func measureLimiter(ctx context.Context, log *measurement.Log, rounds int) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	test := func(module, name, pattern string, args ...string) error {
		return execute(ctx, log, filepath.Join(root, module), "go", append([]string{"test", name, "-run=^$", "-bench=" + pattern, "-benchmem"}, args...)...)
	}
	if err := test("pkg/apf", "./test/search", "UnknownCosts", "-benchtime=1x", "-cpu=1"); err != nil {
		return err
	}
	for range rounds {
		if err := test("hack/lab", "./bench", ".", fmt.Sprintf("-benchtime=%dx", limiterRequests), "-cpu=1,2"); err != nil {
			return err
		}
	}
	return nil
}

// limiterReport returns the section of docs/evidence/benchmarks.md.
func limiterReport(measured measurement.Rounds, rounds int) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `## The limiter compared with others

Written by `+"`make bench`"+`; alone: `+"`cd hack/lab && go run ./bench -only=limiter`"+`. %d rounds in turns, 64 seats. A ratio
above 1 means that this limiter takes longer. golang.org/x/sync/semaphore knows no flows: the ratio is
the price of fairness. The limit of failsafe-go does not adapt here, and its usage tracker knows 10,000 users.

| case | processors | time / semaphore | time / failsafe-go | allocations: limiter, semaphore, failsafe-go |
|---|---:|---:|---:|---:|
`, rounds)
	for _, c := range []struct{ what, name string }{
		{"a seat is free", "Uncontended"},
		{"512 goroutines, 10,000 flows", "ManyFlows"},
		{"50,000 requests of 10,000 flows wait", "ManyWait"},
	} {
		for _, processors := range []string{"", "-2"} {
			line, err := timeRow(measured, c.what, c.name, processors)
			if err != nil {
				return "", err
			}
			text.WriteString(line)
		}
	}
	text.WriteString(`
### Requests of unknown cost

Virtual time, the same on each machine: 100 tenants always ask for 16 seats for a minute, and one sends a
request of 1 ms ten times a second. Requests take 1 ms (50 tenants), a second (25), or a second in one of ten
(25), after the synthetic tenants of 2DFQ (Mace et al., SIGCOMM 2016). Lag: the most that a tenant was
behind the mean, in seat-seconds. Jain's index is 1 if all are given the same. p99: the latency of the smallest tenant.
Least attained service never forgets what a flow used, so it promises nothing to flows that were busy.

| discipline | lag | Jain's index | p99 |
|---|---:|---:|---:|
`)
	for _, d := range []struct{ what, name string }{
		{"this engine", "engine"}, {"k8s.io/apiserver", "library"}, {"first in, first out", "fifo"}, {"round robin", "round-robin"},
		{"least attained service", "least-attained-service"}, {"deficit round robin", "deficit-round-robin"},
	} {
		values := []any{d.what}
		for _, unit := range []string{"lag-seat-s", "jain", "smallest-p99-s"} {
			found, err := measured.Of(measurement.Figure{Benchmark: "UnknownCosts/" + d.name, Unit: unit})
			if err != nil {
				return "", err
			}
			values = append(values, found[0])
		}
		fmt.Fprintf(&text, "| %s | %.2f | %.3f | %.3f s |\n", values...)
	}
	return text.String(), nil
}

func timeRow(measured measurement.Rounds, what, name, processors string) (string, error) {
	figure := func(contender, unit string) measurement.Figure {
		return measurement.Figure{Benchmark: name + "/" + contender + processors, Unit: unit}
	}
	var cells, allocations []string
	for _, contender := range []string{"ours", "semaphore", "failsafe"} {
		count, err := measured.Of(figure(contender, "allocs/op"))
		if err != nil {
			return "", err
		}
		allocations = append(allocations, fmt.Sprintf("%.0f", measurement.Summarize(count).Center))
		if contender == "ours" {
			continue
		}
		ratios, err := measured.Ratios(figure("ours", "sec/op"), figure(contender, "sec/op"))
		if err != nil {
			return "", err
		}
		cells = append(cells, fmt.Sprintf("%.2g", measurement.Summarize(ratios).Center))
	}
	number := "1"
	if processors != "" {
		number = "2"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", what, number, strings.Join(cells, " | "), strings.Join(allocations, ", ")), nil
}
