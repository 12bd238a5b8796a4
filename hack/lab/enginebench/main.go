// Command enginebench runs the benchmarks of pkg/apf/internal/benchmarks several times. There, the
// engines of k8s.io/apiserver and of this project take turns in one process. It keeps the results
// in .cache/benchmarks/engine.txt and compares the two in a table of docs/evidence/benchmarks.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	rounds := flag.Int("rounds", 9, "how often each benchmark is run; fewer than 6 give no interval")
	time := flag.String("benchtime", "300ms", "how long each run of a benchmark is to take")
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose section is written, from the top of the repository")
	flag.Parse()
	program.Run(func(ctx context.Context) error { return run(ctx, *rounds, *time, *output) })
}

func run(ctx context.Context, rounds int, benchtime, output string) error {
	measured, err := measurement.Keep("engine", func(log *measurement.Log) error { return record(ctx, log, rounds, benchtime) })
	if err != nil {
		return err
	}
	text, err := report(measured, rounds)
	if err != nil {
		return err
	}
	return measurement.Publish("make bench", "engine", output, text)
}

// record runs every benchmark once in each round, on one processor and on two.
func record(ctx context.Context, log *measurement.Log, rounds int, benchtime string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	folder, test := filepath.Join(root, "pkg", "apf", "internal", "benchmarks"), filepath.Join(root, "bin", "enginebench.test")
	if err := execute(ctx, log, folder, "go", "test", "-c", "-o", test, "."); err != nil {
		return err
	}
	for range rounds {
		for _, processors := range []string{"1", "2"} {
			if err := execute(ctx, log, folder, test, "-test.run=^$", "-test.bench=.", "-test.benchmem",
				"-test.benchtime="+benchtime, "-test.cpu="+processors); err != nil {
				return err
			}
		}
	}
	return nil
}

// execute runs a command that writes results to stdout. The library logs to
// stderr, which is shown if the command fails.
func execute(ctx context.Context, results io.Writer, dir, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = dir, results, &stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command.Args, err, stderr.String())
	}
	return nil
}
