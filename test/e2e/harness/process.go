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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// attachedBytes limits the output that is attached to a failed test.
const attachedBytes = 16 << 10

// Process is a child process; its output goes to a file.
type Process struct {
	// Name is the program's name in messages.
	Name string
	// Started is when the process was started.
	Started time.Time

	cmd    *exec.Cmd
	output string        // path of the file with stdout and stderr
	done   chan struct{} // closed when the process has ended and been reaped
}

// Command describes a process to start.
type Command struct {
	// Path is the path of the binary.
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

// TryStartProcess is StartProcess for goroutines other than the test's, which may
// not end the test.
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
	t.Logf("started %s", name)
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // cmd.ProcessState holds the result
	}()
	t.Cleanup(func() { p.clean(t, c.Args) })
	return p, nil
}

// clean ends the process with its test. If the test failed, it keeps the output
// and attaches the end of it.
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

// Output returns what the process has written to stdout and stderr so far.
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

// Signal sends a signal and does not wait for its effect.
func (p *Process) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// Pause stops the process with its connections open. It returns when all threads
// have stopped: on a busy machine some run on for a while after the signal.
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

// Resume continues a paused process.
func (p *Process) Resume() {
	_ = p.Signal(syscall.SIGCONT) // fails only if it has ended
}

// FillDisk makes every write beyond the start of a file fail, as on a full disk, until
// the process ends. Only Linux can.
func (p *Process) FillDisk() error { return limitFiles(p.PID(), 1) }

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

// end sends the signal and waits. It kills a process that is still running after
// Grace, and returns an error.
func (p *Process) end(sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	_ = p.cmd.Process.Signal(sig) // fails only if it ends at this moment
	if sig != syscall.SIGKILL {
		p.Resume() // a paused process would not receive it
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

// errEnded reports that the process ended while it was waited for.
var errEnded = errors.New("the process has ended")

// poll repeats check until it succeeds, ctx ends or the process ends.
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

// await fails the test unless the process becomes ready.
func await(t TB, ready func(context.Context) error) {
	t.Helper()
	if err := ready(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
}

// tail returns the last lines of a text, at most attachedBytes.
func tail(text string) string {
	if len(text) <= attachedBytes {
		return text
	}
	end := text[len(text)-attachedBytes:]
	_, lines, _ := strings.Cut(end, "\n")
	return "…\n" + lines
}
