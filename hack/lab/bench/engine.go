package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// benchTime is how long each run of a benchmark of the engine is to take.
const benchTime = "300ms"

// measureEngine runs the benchmarks of pkg/apf/internal/benchmarks, where the engines of k8s.io/apiserver and of
// this project take turns in one process: each once in a round, on one processor and on two.
func measureEngine(ctx context.Context, log *measurement.Log, rounds int) error {
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
				"-test.benchtime="+benchTime, "-test.cpu="+processors); err != nil {
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
