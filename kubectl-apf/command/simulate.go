package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

// simulateCommand is "kubectl apf simulate".
type simulateCommand struct {
	simulating
	output     output
	candidates []string
	compare    bool
	assertions []string
	html       string
}

func newSimulate(env Environment) *cobra.Command {
	s := &simulateCommand{simulating: simulating{env: env}}
	c := page{
		use:   "simulate --trace TRACE [-f CANDIDATE]... [--compare]",
		short: "Say what a trace becomes under another configuration",
		long: `kubectl apf simulate sends the requests of a trace through the flow control of an API
server in virtual time, and says which of them wait, are rejected, and use which seats. It
asks no server. kubectl apf record makes a trace of an audit log.

The baseline is the built-in objects of a release, with the files of --baseline laid over
them. A candidate is the baseline with a file or directory laid over it. With --compare,
the candidates are compared with the baseline; otherwise they are simulated alone.

An assertion is [level.NAME.|schema.NAME.|flow.SCHEMA.FLOW.]METRIC OPERATOR VALUE, such as
"level.workload-high.wait.p99 < 100ms" or "rejected < 0.1%". It is checked on the
candidates, or on the baseline if there are none.

Ctrl-C ends a simulation; the report is about what was simulated until then.
docs/simulate.md says what the models neglect.

The exit status is 1 if an assertion does not hold, or the simulation was interrupted.`,
		examples: `# Say what the built-in configuration makes of a trace
kubectl apf simulate --trace=trace.jsonl --release=1.33

# Compare a change with the configuration of a cluster
kubectl get flowschemas,prioritylevelconfigurations -o yaml > cluster.yaml
kubectl apf simulate --trace=trace.jsonl --baseline=cluster.yaml -f change.yaml --compare --html=report.html

# Check a change in CI
kubectl apf simulate --trace=trace.jsonl -f change.yaml --assert="level.workload-high.wait.p99 < 100ms"`,
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return s.run(c.Context()) }
	s.addFlags(c)
	s.output.addFlag(c, formatJSON, formatYAML, formatWide)
	return c
}

func (s *simulateCommand) addFlags(c *cobra.Command) {
	s.simulating.addFlags(c)
	f := c.Flags()
	f.StringArrayVarP(&s.candidates, "filename", "f", nil, "A file or directory of a candidate. It may be repeated: each is a candidate of its own.")
	f.BoolVar(&s.compare, "compare", false, "Compare the candidates with the baseline.")
	f.StringArrayVar(&s.assertions, "assert", nil, "An assertion. It may be repeated.")
	f.StringVar(&s.html, "html", "", "A file to write the report with plots to, as one page for a browser. It must not exist.")
}

func (s *simulateCommand) run(ctx context.Context) error {
	assertions, err := s.validate()
	if err != nil {
		return err
	}
	candidates, err := s.configurations(ctx)
	if err != nil {
		return err
	}
	if s.html != "" {
		if _, err := os.Stat(s.html); err == nil {
			return fmt.Errorf("the file %s of --html exists: remove it, or name another", s.html)
		}
	}
	defer collectLess()()
	progress := s.progress()
	report, err := simulate.Run(ctx, s.options, candidates...)
	progress.end()
	if err != nil {
		return err
	}
	report.Trace.Name = filepath.Base(s.trace)
	holds := report.Assert(assertions)
	if err := s.output.write(s.env, report, nil); err != nil {
		return err
	}
	if s.html != "" {
		if err := writePage(s.html, report); err != nil {
			return err
		}
	}
	if !holds || report.Interrupted {
		return errFindings
	}
	return nil
}

// validate checks the flags and returns the assertions.
func (s *simulateCommand) validate() ([]*simulate.Assertion, error) {
	if err := s.output.validate(); err != nil {
		return nil, err
	}
	if err := s.simulating.validate(); err != nil {
		return nil, err
	}
	if s.compare && len(s.candidates) == 0 {
		return nil, errors.New("--compare needs a candidate: -f must be given")
	}
	return parseAssertions("--assert", s.assertions)
}

// configurations returns what is simulated, the baseline first.
func (s *simulateCommand) configurations(ctx context.Context) ([]simulate.Candidate, error) {
	var out []simulate.Candidate
	if s.compare || len(s.candidates) == 0 {
		c, err := s.configuration(ctx, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, simulate.Candidate{Name: "baseline", Configuration: c})
	}
	names := map[string]int{"baseline": 1}
	for _, file := range s.candidates {
		c, err := s.configuration(ctx, []string{file})
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, names[name])
		}
		out = append(out, simulate.Candidate{Name: name, Configuration: c})
	}
	return out, nil
}

// writePage writes the report to a new file.
func writePage(name string, report *simulate.Report) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a report for others to read
	if err != nil {
		return err
	}
	return errors.Join(report.WriteHTML(file), file.Close())
}
