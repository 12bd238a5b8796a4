package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

// attachedBytes is how much of a process's output goes to a failed test.
const attachedBytes = 16 << 10

// Process is a child process; its output goes to a file.
type Process struct {
	// Name is the program's name as messages give it.
	Name string
	// Started is when the process was executed.
	Started time.Time

	cmd    *exec.Cmd
	output string        // path of the file with stdout and stderr
	done   chan struct{} // closed when the process has ended and been reaped
}

// Command says what to execute.
type Command struct {
	// Path is that of the binary, Args its arguments.
	Path string
	Args []string
	// Dir is the working directory; empty: the test's.
	Dir string
	// Env is added to the environment.
	Env []string
}

// StartProcess executes the command; the process ends with the test at the latest.
func StartProcess(t TB, c Command) *Process {
	t.Helper()
	p, err := TryStartProcess(t, c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

// TryStartProcess is StartProcess for a goroutine that is not the test's, which
// may not end the test.
func TryStartProcess(t TB, c Command) (*Process, error) {
	t.Helper()
	name := filepath.Base(c.Path)
	output, err := createLog(t.Name(), name)
	if err != nil {
		return nil, fmt.Errorf("making the output file of %s: %w", name, err)
	}
	defer func() { _ = output.Close() }()

	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = diesWithParent()
	p := &Process{Name: name, cmd: cmd, output: output.Name(), done: make(chan struct{}), Started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	t.Logf("started %s", name) // hack/testreport counts these
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}()
	t.Cleanup(func() { p.clean(t, c.Args) })
	return p, nil
}

// clean ends the process with its test. Of a test that failed the output is kept,
// and its end attached.
func (p *Process) clean(t TB, args []string) {
	stopErr := p.end(syscall.SIGTERM)
	if t.Failed() {
		t.Logf("%s %s\nended: %v; its whole output: %s; the end of it:\n%s",
			p.Name, strings.Join(args, " "), p.cmd.ProcessState, p.output, tail(p.Output()))
	} else {
		_ = os.Remove(p.output)
	}
	if stopErr != nil {
		t.Logf("%v", stopErr)
	}
}

// PID is the process's id, valid until it has ended.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitCode waits for the process to end and returns its exit status, -1 if a
// signal ended it.
func (p *Process) ExitCode(ctx context.Context) (int, error) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("%s (process %d) has not ended: %w", p.Name, p.PID(), context.Cause(ctx))
	}
}

// Output is what the process has written to stdout and stderr so far.
func (p *Process) Output() string {
	content, err := os.ReadFile(p.output)
	if err != nil {
		return fmt.Sprintf("(no output: %v)", err)
	}
	return string(content)
}

// WaitOutput waits until the output contains text.
func (p *Process) WaitOutput(ctx context.Context, text string) error {
	return p.poll(ctx, fmt.Sprintf("output with %q", text), func(context.Context) error {
		if !strings.Contains(p.Output(), text) {
			return errors.New("not there")
		}
		return nil
	})
}

// Signal sends a signal and does not wait for what comes of it.
func (p *Process) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// Pause makes the process hang, its connections open, and returns when all its
// threads do: on a busy machine some go on for a while after the signal.
func (p *Process) Pause(t TB) {
	t.Helper()
	err := p.Signal(syscall.SIGSTOP)
	if err == nil {
		err = awaitPause(p.PID())
	}
	if err != nil {
		t.Fatalf("pausing %s: %v", p.Name, err)
	}
}

// Resume makes a paused process go on.
func (p *Process) Resume() {
	_ = p.Signal(syscall.SIGCONT) // fails only if it has ended
}

// Stop asks the process to end with SIGTERM and waits for it.
func (p *Process) Stop(t TB) {
	t.Helper()
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatalf("%v", err)
	}
}

// Kill ends the process with SIGKILL, as kill -9 does, and waits for it.
func (p *Process) Kill(t TB) {
	t.Helper()
	if err := p.end(syscall.SIGKILL); err != nil {
		t.Fatalf("%v", err)
	}
}

// end sends the signal and waits; a process that outstays Grace is killed,
// which is an error.
func (p *Process) end(sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	_ = p.cmd.Process.Signal(sig) // fails only if it ends at this moment
	if sig != syscall.SIGKILL {
		p.Resume() // one that hangs would not see it
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(eventually.Grace):
	}
	_ = p.cmd.Process.Kill()
	<-p.done
	return fmt.Errorf("%s had not ended %v after %v and was killed", p.Name, eventually.Grace, sig)
}

// errEnded says that a process that was waited for is no more.
var errEnded = errors.New("the process has ended")

// poll looks until check succeeds; it gives up when ctx ends or the process does.
func (p *Process) poll(ctx context.Context, what string, check func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.done:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	failures := eventually.Within(ctx, func(a *eventually.Attempt) { require.NoError(a, check(a.Context())) })
	if failures == "" {
		return nil
	}
	err := cmp.Or(context.Cause(ctx), context.DeadlineExceeded)
	return fmt.Errorf("waiting for %s of %s: %w; at last: %s", what, p.Name, err, failures)
}

// await waits for what a process that starts must become.
func await(t TB, ready func(context.Context) error) {
	t.Helper()
	if err := ready(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
}

// tail is the last part of a text, from a line's beginning.
func tail(text string) string {
	if len(text) <= attachedBytes {
		return text
	}
	end := text[len(text)-attachedBytes:]
	_, lines, _ := strings.Cut(end, "\n")
	return "…\n" + lines
}
