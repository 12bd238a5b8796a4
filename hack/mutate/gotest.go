package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// event holds the used fields of an event of `go test -json`.
type event struct {
	Action, Package, Test, Output, FailedBuild string
	Elapsed                                    float64 // seconds
}

// testRun is the result of a run of `go test`.
type testRun struct {
	failures  []failure // in the order of their ends: a subtest precedes its test
	noBuild   bool      // the tests did not compile
	timedOut  bool      // a test exceeded the limit of `go test`
	remainder string    // output that is not an event
}

// failure is a failed test, or a failed package if the test is empty.
type failure struct{ folder, test string }

func (f failure) String() string {
	if f.test == "" {
		return f.folder + ", outside of any test"
	}
	return f.folder + " " + strings.ReplaceAll(f.test, "_", " ")
}

// top returns the top-level test function, which can be run by itself.
func (f failure) top() string {
	name, _, _ := strings.Cut(f.test, "/")
	return name
}

// goCommand returns the go command in a folder of the scratch copy. The end of
// ctx also ends its child processes.
func (s *scratch) goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = filepath.Join(s.dir, folder)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "BINARIES=prebuilt", "PWD="+command.Dir)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 10 * time.Second
	return command
}

// goTest runs tests; with stop it ends at the first failure. It returns an
// error if ctx ends or the go command cannot be run, not for a failed test.
func (s *scratch) goTest(ctx context.Context, folder string, stop bool, args ...string) (*testRun, error) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	command := s.goCommand(running, folder, append([]string{"test", "-json", "-count=1", "-vet=off"}, args...)...)
	stderr := &strings.Builder{}
	command.Stderr = stderr
	pipe, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	run := &testRun{}
	readErr := run.read(pipe, func() bool {
		if stop {
			cancel()
		}
		return stop
	})
	waitErr := command.Wait()
	run.remainder += stderr.String()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(run.failures) > 0 || run.noBuild:
		return run, nil
	case waitErr != nil:
		if _, ok := errors.AsType[*exec.ExitError](waitErr); ok {
			return nil, fmt.Errorf("go test failed without a test that did: %s", run.remainder)
		}
		return nil, waitErr
	}
	return run, readErr
}

// read reads events until they end or failed returns true.
func (r *testRun) read(events io.Reader, failed func() bool) error {
	reader := bufio.NewReader(events)
	inTests := map[string]bool{} // packages with a test that failed
	for {
		line, err := reader.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) != nil {
			r.remainder += string(line)
		}
		r.timedOut = r.timedOut || strings.HasPrefix(e.Output, "panic: test timed out")
		switch {
		case e.Action == "build-fail" || e.FailedBuild != "":
			r.noBuild = true
		case e.Action == "fail" && (e.Test != "" || !inTests[e.Package]):
			inTests[e.Package] = true
			r.failures = append(r.failures, failure{strings.TrimPrefix(e.Package, modulePath+"/"), e.Test})
			if failed() {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
