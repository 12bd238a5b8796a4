package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/suite"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// suiteCommand is "kubectl apf test".
type suiteCommand struct {
	env    Environment
	output output
	files  []string
}

func newTest(env Environment) *cobra.Command {
	s := &suiteCommand{env: env}
	c := page{
		use:   "test -f SUITE.yaml",
		short: "Test expectations about flow schemas and priority levels",
		long: `kubectl apf test tests a suite: requests, and the flow schema, priority level, flow and
seats that each must get. It contacts no server, so it runs in CI. docs/kubectl-apf.md has
the format of a suite.

The exit status is 1 if an expectation is not met.`,
		examples: `# Test a suite
kubectl apf test -f suite.yaml`,
	}.command(s.run)
	c.Flags().StringArrayVarP(&s.files, "filename", "f", nil, "A suite. It may be repeated.")
	s.output.addTo(c)
	return c
}

func (s *suiteCommand) run(ctx context.Context, _ []string) error {
	if len(s.files) == 0 {
		return errors.New("-f is required: the file of a suite")
	}
	var results suiteResults
	for _, file := range s.files {
		result, err := s.test(ctx, file)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	if err := s.output.write(s.env, results); err != nil {
		return err
	}
	return findingsIf(slices.ContainsFunc(results, func(r suite.Result) bool { return r.Failed > 0 }))
}

// test tests one suite.
func (s *suiteCommand) test(ctx context.Context, file string) (suite.Result, error) {
	read, err := suite.Read(file)
	if err != nil {
		return suite.Result{}, errors.New(strings.ReplaceAll(err.Error(), "\n", "; ")) // it may name several fields
	}
	from, err := source.New(read.Source())
	if err != nil {
		return suite.Result{}, fmt.Errorf("%s: %w", file, err)
	}
	c, err := from.Configuration(ctx)
	if err != nil {
		return suite.Result{}, fmt.Errorf("%s: %w", file, err)
	}
	return read.Run(c, s.env.Clock.Now()), nil
}

// suiteResults are the results of suites.
type suiteResults []suite.Result

func (r suiteResults) WriteTable(w io.Writer, options table.Options) error {
	for i := range r {
		if len(r) > 1 {
			fmt.Fprintf(w, "%s:\n", r[i].Suite)
		}
		if err := r[i].WriteTable(w, options); err != nil {
			return err
		}
	}
	return nil
}
