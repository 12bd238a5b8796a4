package harness

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// Kubectl runs kubectl with one kubeconfig and a separate HOME directory.
type Kubectl struct {
	path       string
	kubeconfig string
	home       string
}

// Result is the outcome of a kubectl command.
type Result struct {
	Stdout, Stderr string
	ExitCode       int
}

// NewKubectl returns a kubectl that uses the kubeconfig.
func NewKubectl(t TB, kubeconfig string) *Kubectl {
	t.Helper()
	return KubectlAt(t, Program(t, binaries.Kubectl), kubeconfig)
}

// KubectlAt is NewKubectl for another binary, such as another release's.
func KubectlAt(t TB, path, kubeconfig string) *Kubectl {
	t.Helper()
	return &Kubectl{path: path, kubeconfig: kubeconfig, home: t.TempDir()}
}

// Run runs a command that must succeed and returns its stdout.
func (k *Kubectl) Run(t TB, args ...string) string {
	t.Helper()
	return k.RunInput(t, "", args...)
}

// RunInput is Run with text on stdin, as for apply -f -.
func (k *Kubectl) RunInput(t TB, stdin string, args ...string) string {
	t.Helper()
	result := k.Try(t, stdin, args...)
	if result.ExitCode != 0 {
		t.Fatalf("kubectl %s ended with %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), result.ExitCode, result.Stdout, result.Stderr)
	}
	return result.Stdout
}

// Try runs a command that may fail.
func (k *Kubectl) Try(t TB, stdin string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, k.path, args...)
	cmd.Env = append(os.Environ(), k.env()...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = diesWithParent()
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("kubectl %s: %v\nstdout: %s\nstderr: %s", strings.Join(args, " "), ctx.Err(), stdout.String(), stderr.String())
	case err != nil && !errors.As(err, &exit):
		t.Fatalf("running kubectl %s: %v", strings.Join(args, " "), err)
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), ExitCode: cmd.ProcessState.ExitCode()}
}

// Start runs a command that does not end by itself, such as get --watch or proxy.
// The process ends with the test.
func (k *Kubectl) Start(t TB, args ...string) *Process {
	t.Helper()
	return StartProcess(t, Command{Path: k.path, Args: args, Env: k.env()})
}

// env isolates the command from the user's kubectl settings. It finds the plug-ins that
// are built beside it.
func (k *Kubectl) env() []string {
	return []string{"PATH=" + filepath.Dir(k.path) + string(filepath.ListSeparator) + os.Getenv("PATH"), "KUBECONFIG=" + k.kubeconfig, "HOME=" + k.home, "KUBECACHEDIR=" + k.home}
}
