// Command enginebench runs the benchmarks of pkg/apf/benchmarks, in which the
// engine of k8s.io/apiserver and that of this project take turns in one process,
// several times over, and writes the medians as a table with ratios into
// docs/benchmarks.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each benchmark is run")
	time := flag.String("benchtime", "300ms", "how long each run of a benchmark is to take")
	output := flag.String("output", filepath.Join("docs", "benchmarks.md"), "file whose section is written, from the top of the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *rounds, *time, *output)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "enginebench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, benchtime, output string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	measured := figures{}
	for range rounds {
		for _, processors := range []string{"1", "2"} {
			text, err := benchmark(ctx, root, processors, benchtime)
			if err != nil {
				return err
			}
			measured.read(text)
		}
	}
	text, err := measured.report(rounds)
	if err != nil {
		return err
	}
	fmt.Print(text)
	section := document.Section{Name: "engine", Writer: "make bench"}
	return section.Write(filepath.Join(root, output), "Benchmarks", text)
}

// benchmark runs every benchmark once, on so many processors.
func benchmark(ctx context.Context, root, processors, benchtime string) (string, error) {
	command := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "-benchtime="+benchtime, "-cpu="+processors, "./pkg/apf/benchmarks")
	command.Dir = root
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s%s", command.Args, err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
