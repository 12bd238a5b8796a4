// Package command is the plug-in "kubectl apf": flags select the source and the
// output; other packages of the module compute the answers. There is a file for each command.
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // credentials of clouds and OpenID Connect in a kubeconfig
)

// The exit statuses.
const (
	statusOK = 0
	// statusFindings: there are findings at or above the threshold, expectations that
	// are not met, or differences.
	statusFindings = 1
	// statusFailed: the command could not do what it was asked to.
	statusFailed = 2
)

// errFindings ends a command with statusFindings. Its output says why.
var errFindings = errors.New("there are findings")

// findingsIf returns errFindings if there are some.
func findingsIf(some bool) error {
	if some {
		return errFindings
	}
	return nil
}

// completer is the name of the program that kubectl asks for completions.
const completer = "kubectl_complete-apf"

// release is the release of this program, which the Makefile sets with -X.
var release = "0.1.0" //nolint:gochecknoglobals // see above

// Run runs the program with its arguments, the first one its name, and returns its exit status.
func Run(ctx context.Context, env Environment, args []string) int {
	env = env.withPrintableOutput()
	root := New(env)
	words := arguments(args)
	root.SetArgs(words)
	err := isKnown(root, words)
	if err == nil {
		err = execute(ctx, root)
	}
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, errFindings):
		return statusFindings
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.ErrOut, "error: interrupted")
		return statusFailed
	default:
		for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") { // one for each file
			fmt.Fprintln(env.ErrOut, "error:", line)
		}
		return statusFailed
	}
}

// leave is how long a command may take to end after it was interrupted.
const leave = time.Second

var errInterrupted = errors.New("interrupted")

// execute runs the command. One that is interrupted while it reads a long file or computes is abandoned: the
// process is about to exit.
func execute(ctx context.Context, root *cobra.Command) error {
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(leave):
		return errInterrupted
	}
}

// arguments returns the arguments of the command line. As a completer, the program has
// the words to complete as arguments.
func arguments(args []string) []string {
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == completer {
		return append([]string{cobra.ShellCompRequestCmd}, args[1:]...)
	}
	return args[1:]
}

// New returns the command "kubectl apf".
func New(env Environment) *cobra.Command {
	if env.control == nil {
		env = env.withPrintableOutput()
	}
	root := &cobra.Command{
		Use:         "kubectl-apf",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl apf"},
		Short:       "API Priority and Fairness: explain, find and prevent what flow control does",
		Long: `kubectl apf answers questions about API Priority and Fairness, the flow control of
Kubernetes API servers: which flow schema matches a request, who holds the seats, why
requests were delayed or rejected, and what a change would do.

It reads a cluster, files, files as if they were applied to a cluster, or saved API
responses. It changes nothing in a cluster. artifacts/kubectl-apf/clusterrole.yaml has the
permissions that it needs. If one is missing, it names it and continues with the rest.

Exit status: 0; 1 for findings, differences and unmet expectations; 2 if the command
failed.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          isCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; '%s --help' lists the flags", err, c.CommandPath())
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newExplain(env), newWhose(env), newWhy(env), newTop(env), newLint(env), newDiff(env), newTest(env),
		newRecord(env), newSimulate(env), newSize(env), newIsolate(env), newVersion(env))
	setHelp(root, env)
	return root
}

// isKnown rejects a first word that is no command, before the flags behind it are unknown.
func isKnown(root *cobra.Command, words []string) error {
	root.InitDefaultHelpCmd()
	found, rest, err := root.Find(words)
	if err != nil || found != root || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil //nolint:nilerr // cobra reports it
	}
	return isCommand(root, rest)
}

// isCommand rejects an unknown command, and suggests commands with similar names.
func isCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if similar := root.SuggestionsFor(args[0]); len(similar) > 0 {
		return fmt.Errorf("unknown command %q for %q: did you mean %s?", args[0], root.CommandPath(), strings.Join(similar, " or "))
	}
	return fmt.Errorf("unknown command %q for %q; '%s --help' lists the commands", args[0], root.CommandPath(), root.CommandPath())
}

func newVersion(env Environment) *cobra.Command {
	return page{
		use:      "version",
		short:    "Print the version of the plug-in",
		long:     "kubectl apf version prints the versions of the plug-in and of Go.",
		examples: "kubectl apf version",
	}.command(func(context.Context, []string) error {
		text := "kubectl-apf v" + release
		if info, ok := debug.ReadBuildInfo(); ok {
			text += " (" + info.GoVersion + ")"
		}
		return writeText(env.Out, text+"\n")
	})
}
