// Command coverage measures which statements of the product the unit tests and
// the end-to-end tests run, separately and together, and writes
// docs/coverage.md.
//
//	go run ./hack/coverage [unit] [e2e] [report]
//
// Without arguments it does all three. The counters stay in .cache/coverage, so
// one part can be measured again. Unit tests count in their own process. For
// end-to-end tests the server is built with -cover and writes its counters when
// it exits: a server that a test kills writes none.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	program.Run(func(ctx context.Context) error { return run(ctx, os.Args[1:]) })
}

// run executes the given steps. Failed tests have run statements too: the
// report is written before their error is returned.
func run(ctx context.Context, args []string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	steps := map[string]func(context.Context, workspace) error{"unit": unit, "e2e": endToEnd, "report": writeReport}
	order := []string{"unit", "e2e", "report"}
	if len(args) == 0 {
		args = order
	}
	for _, arg := range args {
		if steps[arg] == nil {
			return fmt.Errorf("%q is no step: name some of %s", arg, strings.Join(order, ", "))
		}
	}
	var errs []error
	for _, name := range order {
		if slices.Contains(args, name) {
			if err := steps[name](ctx, workspace(root)); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// enginePackages are the packages of the engine, which is a module of its own.
const enginePackages = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/..."

// workspace is the top of the repository.
type workspace string

// counters is the folder for the counters of a part.
func (w workspace) counters(part string) string {
	return filepath.Join(string(w), ".cache", "coverage", part)
}

// empty recreates the folder of a part.
func (w workspace) empty(part string) (string, error) {
	dir := w.counters(part)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// run runs the go command at the top of the repository and passes its output
// on.
func (w workspace) run(ctx context.Context, env []string, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = string(w), append(os.Environ(), append(env, "CGO_ENABLED=0")...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// product returns patterns of the product's packages, without generated ones.
func (w workspace) product() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(string(w), "pkg"))
	if err != nil {
		return nil, err
	}
	patterns := []string{"./cmd/...", enginePackages}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "generated" && entry.Name() != "apf" {
			patterns = append(patterns, "./pkg/"+entry.Name()+"/...")
		}
	}
	return patterns, nil
}

func unit(ctx context.Context, w workspace) error {
	dir, err := w.empty("unit")
	if err != nil {
		return err
	}
	product, err := w.product()
	if err != nil {
		return err
	}
	args := append([]string{"test", "-count=1", "-vet=off", "-timeout=30m", "-coverpkg=" + strings.Join(product, ",")}, product...)
	return w.run(ctx, nil, append(args, "-args", "-test.gocoverdir="+dir)...)
}

func endToEnd(ctx context.Context, w workspace) error {
	dir, err := w.empty("e2e")
	if err != nil {
		return err
	}
	if err := w.run(ctx, []string{"COVERAGE=1"}, "run", "./test/binaries/build"); err != nil {
		return err
	}
	env := []string{"COVERAGE=1", "BINARIES=prebuilt", "GOCOVERDIR=" + dir}
	return w.run(ctx, env, "test", "-count=1", "-vet=off", "-p=2", "-timeout=30m", "./test/e2e/...")
}
