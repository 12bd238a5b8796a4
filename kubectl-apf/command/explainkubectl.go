package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/kubectl"
)

// isKubectl reports whether a word is the name or the path of kubectl.
func isKubectl(word string) bool {
	return strings.TrimSuffix(filepath.Base(word), ".exe") == "kubectl"
}

// validateCommand rejects what is no kubectl command after --.
func (e *explainCommand) validateCommand(c *cobra.Command, args []string) error {
	if len(args) < 2 || !isKubectl(args[0]) {
		return errors.New("after -- must come kubectl and its arguments, as in: kubectl apf explain -- kubectl get pods")
	}
	for _, arg := range args {
		if arg == "--output-directory" || strings.HasPrefix(arg, "--output-directory=") {
			return errors.New("--output-directory must be left out: kubectl would write what this command answers it")
		}
	}
	flags, err := globalFlags(args[1:])
	if err != nil {
		return err
	}
	if flags.Arg(0) == "proxy" {
		return errors.New("kubectl proxy sends the requests of its clients: explain those")
	}
	own := pflag.NewFlagSet("request", pflag.ContinueOnError)
	new(explain.Flags).AddTo(own)
	var misplaced []string
	own.VisitAll(func(f *pflag.Flag) {
		if c.Flags().Changed(f.Name) {
			misplaced = append(misplaced, "--"+f.Name)
		}
	})
	if len(misplaced) > 0 {
		return fmt.Errorf("%s must come after --, with the arguments of kubectl", strings.Join(misplaced, ", "))
	}
	return nil
}

// runCommand explains the requests of a kubectl command.
func (e *explainCommand) runCommand(c *cobra.Command, args []string) error {
	if err := e.output.validate(); err != nil {
		return err
	}
	flags, err := globalFlags(args[1:])
	if err != nil {
		return err
	}
	if err := adoptFlags(c.Flags(), flags); err != nil {
		return err
	}
	answer := explain.CommandAnswer{Command: strings.Join(args, " "), Requests: explain.Rows{}, Notes: []string{}}
	if slices.Contains([]string{"", "completion", "config", "help", "kustomize", "options", "plugin"}, flags.Arg(0)) {
		return e.output.write(e.env, answer, nil) // they send no requests, and may write files
	}
	if err := e.explainSent(c.Context(), args, &answer); err != nil {
		return err
	}
	return e.output.write(e.env, answer, namesOfRows(answer.Requests))
}

// explainSent explains the requests that a kubectl command sends.
func (e *explainCommand) explainSent(ctx context.Context, args []string, answer *explain.CommandAnswer) error {
	explainer, parser, err := e.prepare(ctx)
	if err != nil {
		return err
	}
	sent, notes, err := e.sent(ctx, parser, args)
	if err != nil {
		return err
	}
	answer.Requests, answer.Notes = explainer.ExplainAll(linesOf(sent.Sent, parser.Request("", &e.request))), notes
	return nil
}

// globalFlags parses the flags of kubectl that all its commands have.
func globalFlags(args []string) (*pflag.FlagSet, error) {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	set := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	set.ParseErrorsAllowlist.UnknownFlags = true
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	genericclioptions.NewConfigFlags(false).AddFlags(set)
	if err := set.Parse(args); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return nil, fmt.Errorf("the arguments of kubectl: %w", err)
	}
	return set, nil
}

// adoptFlags takes over the flags of kubectl that say where it looks, unless they are given
// before --.
func adoptFlags(to, from *pflag.FlagSet) (err error) {
	from.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "kubeconfig", "context", "cluster", "user", "server", "token", "client-certificate", "client-key", "certificate-authority", "insecure-skip-tls-verify", "tls-server-name":
			if !to.Changed(f.Name) {
				err = errors.Join(err, to.Set(f.Name, f.Value.String()))
			}
		}
	})
	return err
}

// sent returns the requests of a kubectl command, and notes about them.
func (e *explainCommand) sent(ctx context.Context, parser explain.Parser, args []string) (*kubectl.Requests, []string, error) {
	program, err := kubectlProgram(args[0])
	if err != nil {
		return nil, nil, err
	}
	helper, _ := os.Executable() // without one, kubectl edits nothing
	stdin, err := stdinOf(args, e.env.In)
	if err != nil {
		return nil, nil, err
	}
	resources, inferred, err := e.served(args[1:], stdin)
	if err != nil {
		return nil, nil, err
	}
	namespace := parser.Namespace
	if e.request.Namespace != "" {
		namespace = e.request.Namespace
	}
	sent, err := kubectl.Command{
		Program: program, Arguments: args[1:], Stdin: stdin, Namespace: namespace, Resources: resources,
		Helper: helper, Environment: os.Environ(),
	}.Requests(ctx)
	if err != nil {
		return nil, nil, err
	}
	notes := []string{}
	for _, name := range inferred {
		notes = append(notes, fmt.Sprintf("The name, the API version and the scope of %q are assumed.", name))
	}
	if sent.Complaint != "" {
		notes = append(notes, "kubectl ended early, so requests may be missing: "+sent.Complaint)
	}
	return sent, notes, nil
}

// linesOf returns the requests as explain takes them. Their user is the given one, or the
// one that kubectl impersonates.
func linesOf(sent []kubectl.Request, by explain.Request) []explain.Line {
	lines := make([]explain.Line, len(sent))
	for i, one := range sent {
		request := by
		request.Verb, request.Path = one.Verb, one.URI
		if one.User != "" {
			request.User, request.Groups = one.User, one.Groups
		}
		lines[i] = explain.Line{Text: one.Method + " " + one.URI, When: one.When, Request: request}
	}
	return lines
}

// kubectlProgram returns the path of kubectl: the word if it is a path, otherwise the one on
// the PATH, otherwise the one beside this program.
func kubectlProgram(word string) (string, error) {
	if filepath.Base(word) != word {
		return word, nil
	}
	if found, err := exec.LookPath(word); err == nil {
		return found, nil
	}
	own, err := os.Executable()
	if err == nil {
		found, err := exec.LookPath(filepath.Join(filepath.Dir(own), word))
		if err == nil {
			return found, nil
		}
	}
	return "", errors.New("kubectl must be installed to explain its commands: it is not on the PATH")
}

// stdinOf returns what kubectl reads: the standard input if it reads files from there,
// otherwise the answer to its questions.
func stdinOf(args []string, in io.Reader) ([]byte, error) {
	reads := func(word string) bool { return word == "-" || word == "-f-" || strings.HasSuffix(word, "=-") }
	if !slices.ContainsFunc(args, reads) {
		return []byte("y\n"), nil
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("reading the standard input: %w", err)
	}
	return text, nil
}
