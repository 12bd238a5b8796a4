package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	outcomeFound          = "found"
	outcomeNotFound       = "not found"
	outcomeTimeRanOut     = "time ran out"
	outcomeDoesNotCompile = "does not compile"

	serverPath = "bin/flowcontrol-apiserver"
	// unitLimit is the time limit for the unit tests of a package. A test that
	// hangs counts as failed.
	unitLimit = "-timeout=8m"
	e2eLimit  = "-timeout=15m"
)

// result is the result of one trial.
type result struct {
	Outcome string
	Test    string // the first failed test, or the running stage at a timeout
	Seconds float64
	Notes   []string
}

// stage is a step of a trial: the tests of some packages.
type stage struct {
	name     string
	module   string // folder
	packages []string
}

// trialRunner tries mutants in the scratch copy, one at a time.
type trialRunner struct {
	tree    *tree
	scratch *scratch
	options options
	e2e     []string // folders
}

// try inserts the fault, runs tests until one finds it, and removes it.
func (r *trialRunner) try(parent context.Context, m *mutant) (found result, err error) {
	ctx, cancel := context.WithTimeout(parent, r.options.timeout)
	defer cancel()
	if err := r.scratch.put(m); err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, r.scratch.restore(m)) }()

	found, at, err := r.stages(ctx, m)
	if parent.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		found.Outcome, found.Test, err = outcomeTimeRanOut, at, nil
	}
	return found, err
}

// stages runs the tests in order; at is the last stage that ran.
func (r *trialRunner) stages(ctx context.Context, m *mutant) (found result, at string, err error) {
	at = "compiling"
	if compiles, err := r.build(ctx, "./cmd/...", "./pkg/...", enginePackages); err != nil || !compiles {
		return result{Outcome: outcomeDoesNotCompile}, at, err
	}
	found.Outcome = outcomeNotFound
	for _, s := range r.unitStages(m) {
		at = s.name
		if err := r.unit(ctx, s, m, &found); err != nil || found.Outcome != outcomeNotFound {
			return found, at, err
		}
	}
	if r.options.unit {
		return found, at, nil
	}
	at = "building the server"
	if compiles, err := r.build(ctx, "-ldflags=-s -w", "-o", serverPath, "./cmd/flowcontrol-apiserver"); err != nil || !compiles {
		return found, at, errors.Join(err, errors.New("the server cannot be built"))
	}
	at = "end-to-end tests"
	return found, at, r.endToEnd(ctx, &found)
}

// build reports whether the code compiles; it returns an error for other
// failures. It uses no profile, and so shares the compiled packages of the
// tests.
func (r *trialRunner) build(ctx context.Context, args ...string) (bool, error) {
	output, err := r.scratch.goCommand(ctx, ".", append([]string{"build", "-buildvcs=false", "-pgo=off"}, args...)...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &exit) && strings.Contains(string(output), "no space left on device"):
		return false, fmt.Errorf("the disk is full: %s", output)
	case errors.As(err, &exit):
		return false, nil
	}
	return false, err
}

func (r *trialRunner) unitStages(m *mutant) []stage {
	var stages []stage
	if m.pkg.hasTests() {
		stages = append(stages, stage{"its own tests", ".", []string{m.pkg.ImportPath}})
	}
	if strings.HasPrefix(m.pkg.folder(), "pkg/apis/flowcontrol") {
		stages = append(stages, stage{"parity", "test/parity", []string{"./..."}})
	}
	var dependents []string
	for _, folder := range r.tree.dependents(m.pkg) {
		dependents = append(dependents, modulePath+"/"+folder)
	}
	if len(dependents) > 0 {
		stages = append(stages, stage{"tests of packages that import it", ".", dependents})
	}
	return stages
}

// unit runs unit tests until one fails that passes without the fault.
func (r *trialRunner) unit(ctx context.Context, s stage, m *mutant, found *result) error {
	var broken []string // tests that fail without the fault too
	for {
		args := append([]string{unitLimit}, s.packages...)
		if len(broken) > 0 {
			args = append(args, "-skip=^("+strings.Join(broken, "|")+")$")
		}
		run, err := r.scratch.goTest(ctx, s.module, true, args...)
		switch {
		case err != nil:
			return err
		case run.noBuild:
			found.Outcome = outcomeDoesNotCompile
			return nil
		case len(run.failures) == 0:
			return nil
		}
		failed := run.failures[0]
		passes, err := r.passesWithout(ctx, s, m, failed)
		switch {
		case err != nil:
			return err
		case passes:
			found.Outcome, found.Test = outcomeFound, failed.String()
			if run.timedOut {
				found.Notes = append(found.Notes, "it hung")
			}
			return nil
		case failed.test == "" || slices.Contains(broken, failed.top()):
			return fmt.Errorf("%s fails without the fault too: mend it first", failed)
		}
		found.Notes = append(found.Notes, failed.String()+" fails without the fault too")
		broken = append(broken, regexp.QuoteMeta(failed.top()))
	}
}

// passesWithout repeats a failed test without the fault.
func (r *trialRunner) passesWithout(ctx context.Context, s stage, m *mutant, failed failure) (bool, error) {
	if err := r.scratch.restore(m); err != nil {
		return false, err
	}
	args := []string{unitLimit, modulePath + "/" + failed.folder}
	if failed.test != "" {
		args = append(args, "-run=^"+regexp.QuoteMeta(failed.top())+"$")
	}
	run, err := r.scratch.goTest(ctx, s.module, true, args...)
	if err != nil {
		return false, err
	}
	return len(run.failures) == 0 && !run.noBuild, r.scratch.put(m)
}

// endToEnd runs the packages two at a time, as `make test` does, until one finds
// the fault.
func (r *trialRunner) endToEnd(ctx context.Context, found *result) error {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu   sync.Mutex // guards next, found, errs
		next int
		errs []error
		wait sync.WaitGroup
	)
	for range 2 {
		wait.Go(func() {
			for {
				mu.Lock()
				if next == len(r.e2e) || running.Err() != nil {
					mu.Unlock()
					return
				}
				folder := r.e2e[next]
				next++
				mu.Unlock()

				failed, note, err := r.endToEndPackage(running, folder)
				mu.Lock()
				switch {
				case running.Err() != nil: // another package found the fault first
				case err != nil:
					errs = append(errs, err)
					cancel()
				case failed != nil:
					found.Outcome, found.Test = outcomeFound, failed.String()
					cancel()
				case note != "":
					found.Notes = append(found.Notes, note)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// endToEndPackage runs a package and repeats its failed tests once, as `make
// test` does. It does not repeat tests of random operations.
func (r *trialRunner) endToEndPackage(ctx context.Context, folder string) (failed *failure, note string, err error) {
	run, err := r.scratch.goTest(ctx, ".", false, e2eLimit, "./"+folder)
	if err != nil {
		return nil, "", err
	}
	if run.noBuild {
		return nil, "", fmt.Errorf("the tests of %s do not compile:\n%s", folder, run.remainder)
	}
	if len(run.failures) == 0 {
		return nil, "", nil
	}
	first := run.failures[0]
	if first.test == "" || strings.HasSuffix(folder, "/linearizability") || strings.HasSuffix(folder, "/watchmodel") {
		return &first, "", nil
	}
	var tests []string
	for _, f := range run.failures {
		if name := regexp.QuoteMeta(f.top()); f.test != "" && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	again, err := r.scratch.goTest(ctx, ".", false, e2eLimit, "./"+folder, "-run=^("+strings.Join(tests, "|")+")$")
	if err != nil {
		return nil, "", err
	}
	if len(again.failures) == 0 {
		return nil, first.String() + " passed on retry", nil
	}
	return &again.failures[0], "", nil
}
