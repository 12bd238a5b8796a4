package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

// simulateCommand is "kubectl apf simulate".
type simulateCommand struct {
	env        Environment
	output     output
	options    simulate.Options
	trace      string
	baseline   []string
	candidates []string
	compare    bool
	release    string
	total      int
	engine     string
	loop       string
	capacity   string
	assertions []string
	html       string
	quiet      bool
}

func newSimulate(env Environment) *cobra.Command {
	s := &simulateCommand{env: env}
	c := page{
		use:   "simulate --trace TRACE [-f CANDIDATE]... [--compare]",
		short: "Say what a trace becomes under another configuration",
		long: `kubectl apf simulate sends the requests of a trace through the flow control of an API
server in virtual time, and says which of them wait, are refused, and use which seats. It
asks no server. kubectl apf record makes a trace of an audit log.

The baseline is the built-in objects of a release, with the files of --baseline laid over
them. A candidate is the baseline with a file or directory laid over it. With --compare,
the candidates are compared with the baseline; otherwise they are simulated alone.

An assertion is [level.NAME.|schema.NAME.|flow.SCHEMA.FLOW.]METRIC OPERATOR VALUE, such as
"level.workload-high.wait.p99 < 100ms" or "refused < 0.1%". It is checked on the
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
	f := c.Flags()
	f.StringVar(&s.trace, "trace", "", "The trace, perhaps compressed with gzip or zstd.")
	f.StringArrayVarP(&s.candidates, "filename", "f", nil, "A file or directory of a candidate. It may be repeated: each is a candidate of its own.")
	f.StringArrayVar(&s.baseline, "baseline", nil, "A file or directory of the baseline. It may be repeated: all are laid over the built-in objects.")
	f.BoolVar(&s.compare, "compare", false, "Compare the candidates with the baseline.")
	f.StringVar(&s.release, "release", "", "The Kubernetes release, such as 1.33, whose built-in objects and estimates are used.")
	f.IntVar(&s.total, "total", 0, "The number of seats of one API server; 0 for 600, as without flags.")
	f.StringVar(&s.engine, "engine", string(simulate.Upstream), "The flow control: upstream, that of kube-apiserver, or ours, that of flowcontrol-apiserver.")
	f.StringVar(&s.loop, "loop", string(simulate.Open), "open: requests arrive as in the trace; closed: clients wait for their answers.")
	f.StringVar(&s.capacity, "capacity", "none", "How execution depends on load: none, or processors=NUMBER.")
	f.IntVar(&s.options.Replicas, "replicas", 0, "The number of API servers; 0 for as many as the trace names.")
	f.Uint64Var(&s.options.Seed, "seed", 0, "The seed by which clients are given to replicas.")
	f.IntVar(&s.options.Flows, "flows", 10, "The number of flows of each priority level in the report.")
	f.StringArrayVar(&s.assertions, "assert", nil, "An assertion. It may be repeated.")
	f.StringVar(&s.html, "html", "", "A file to write the report with plots to, as one page for a browser. It must not exist.")
	f.BoolVar(&s.quiet, "quiet", false, "Write no progress to standard error.")
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
	progress := &progressLine{env: s.env, begun: s.env.Clock.Now(), quiet: s.quiet}
	s.options.Progress = progress.tell
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
	switch {
	case s.trace == "":
		return nil, errors.New("--trace must be given, the trace to simulate; kubectl apf record makes one")
	case s.compare && len(s.candidates) == 0:
		return nil, errors.New("--compare needs a candidate: -f must be given")
	}
	var err error
	if s.options.Capacity, err = simulate.ParseCapacity(s.capacity); err != nil {
		return nil, fmt.Errorf("--capacity: %w", err)
	}
	var assertions []*simulate.Assertion
	for _, text := range s.assertions {
		a, err := simulate.ParseAssertion(text)
		if err != nil {
			return nil, fmt.Errorf("--assert: %w", err)
		}
		assertions = append(assertions, a)
	}
	s.options.Engine, s.options.Loop = simulate.EngineKind(s.engine), simulate.Loop(s.loop)
	s.options.Open = func() (simulate.Source, error) { return trace.Open(s.trace) }
	return assertions, nil
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

// configuration returns the baseline with files laid over it.
func (s *simulateCommand) configuration(ctx context.Context, files []string) (configuration.Configuration, error) {
	base, err := s.open(s.baseline)
	if err != nil {
		return configuration.Configuration{}, err
	}
	c, err := base.Configuration(ctx)
	if err != nil || len(files) == 0 {
		return c, err
	}
	above, err := s.open(files)
	if err != nil {
		return c, err
	}
	objects, err := above.Files(ctx)
	if err != nil {
		return c, err
	}
	if err := objects.Err(); err != nil {
		return c, err
	}
	for _, o := range objects.Objects {
		if o.FlowSchema != nil {
			c = c.Overlay(append(c.FlowSchemas[:0:0], o.FlowSchema), nil)
		} else {
			c = c.Overlay(nil, append(c.PriorityLevels[:0:0], o.PriorityLevel))
		}
	}
	return c, nil
}

func (s *simulateCommand) open(files []string) (source.Source, error) {
	return source.New(source.Options{
		Files: resource.FilenameOptions{Filenames: files}, Stdin: s.env.In, Offline: true,
		Release: configuration.Release(s.release), Total: s.total, Now: s.env.Clock.Now,
	})
}

// writePage writes the report to a new file.
func writePage(name string, report *simulate.Report) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(report.WriteHTML(file), file.Close())
}

// progressInterval is how often the progress is told.
const progressInterval = 2 * time.Second

// progressLine tells the progress of simulations.
type progressLine struct {
	env   Environment
	begun time.Time
	last  time.Time
	quiet bool
	told  bool
}

func (p *progressLine) tell(now simulate.Progress) {
	at := p.env.Clock.Now()
	if p.quiet || at.Sub(p.begun) < progressInterval || at.Sub(p.last) < progressInterval {
		return
	}
	p.last, p.told = at, true
	part := ""
	if now.Of > 0 {
		part = fmt.Sprintf(" (%.0f %%)", 100*float64(now.Requests)/float64(now.Of))
	}
	_, _ = io.WriteString(p.env.ErrOut, fmt.Sprintf("%s: %d requests%s, %s simulated in %s\n",
		now.Name, now.Requests, part, now.Simulated.Round(time.Second), at.Sub(p.begun).Round(time.Second)))
}

// end ends the progress.
func (p *progressLine) end() {
	if p.told {
		_, _ = io.WriteString(p.env.ErrOut, fmt.Sprintf("done in %s\n", p.env.Clock.Since(p.begun).Round(time.Second)))
	}
}
