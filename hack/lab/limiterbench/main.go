// Command limiterbench compares package limiter with golang.org/x/sync/semaphore and the adaptive limiter
// of failsafe-go, and the schedule with others in virtual time. It keeps the results in
// .cache/benchmarks/limiter.txt and writes tables into docs/evidence/benchmarks.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	rounds := flag.Int("rounds", 6, "how often each benchmark is run")
	count := flag.Int("requests", 50_000, "requests of each run")
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose section is written, from the top of the repository")
	flag.Parse()
	program.Run(func(ctx context.Context) error { return run(ctx, *rounds, *count, *output) })
}

func run(ctx context.Context, rounds, count int, output string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	measured, err := measurement.Keep("limiter", func(log *measurement.Log) error {
		if err := bench(ctx, log, filepath.Join(root, "pkg", "apf"), "./test/search", "UnknownCosts", "-benchtime=1x", "-cpu=1"); err != nil {
			return err
		}
		for range rounds {
			if err := bench(ctx, log, filepath.Join(root, "hack", "lab"), "./limiterbench", ".", fmt.Sprintf("-benchtime=%dx", count), "-cpu=1,2"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	text, err := report(measured, rounds)
	if err != nil {
		return err
	}
	return measurement.Publish("make bench", "limiter", output, text)
}

func bench(ctx context.Context, log *measurement.Log, dir, name, pattern string, args ...string) error {
	command := exec.CommandContext(ctx, "go", append([]string{"test", name, "-run=^$", "-bench=" + pattern, "-benchmem"}, args...)...)
	var stderr bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = dir, log, &stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command.Args, err, stderr.String())
	}
	return nil
}

// report returns the section of docs/evidence/benchmarks.md.
func report(measured measurement.Rounds, rounds int) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, `## The limiter compared with others

Written by `+"`make bench`"+`; alone: `+"`cd hack/lab && go run ./limiterbench`"+`. %d rounds in turns, 64 seats. A ratio
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
