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
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// simulateCommand is "kubectl apf simulate".
type simulateCommand struct {
	simulating
	output     output
	baseline   []string
	release    string
	total      int
	tenants    rules.Tenants
	candidates []string
	compare    bool
	assertions []string
	clients    []string
	logs       logFlags
}

func newSimulate(env Environment) *cobra.Command {
	s := &simulateCommand{simulating: simulating{env: env}}
	c := page{
		use:   "simulate --trace TRACE [-f CANDIDATE]... [--compare]",
		short: "Say what a trace becomes under another configuration",
		long: `kubectl apf simulate sends the requests of a trace through the flow control of an API
server in virtual time, and shows which of them wait or are rejected, and which seats they
use. It contacts no server. kubectl apf record makes a trace from logs.

The baseline is the built-in objects of a release, with the files of --baseline merged over
them. A candidate is the baseline with a file or directory merged over it. With --compare,
the candidates are compared with the baseline; otherwise they are simulated alone.

An assertion is [level.NAME.|schema.NAME.]METRIC OPERATOR VALUE, such as
"level.workload-high.wait.p99 < 100ms" or "rejected < 0.1%". It is checked on the
candidates, or on the baseline if there are none.

docs/simulate.md lists what the simulation does not model.

The exit status is 1 if an assertion does not hold.`,
		examples: `# Simulate a trace with the built-in configuration
kubectl apf simulate --trace=trace.jsonl --release=1.33

# Compare a change with the configuration of a cluster
kubectl get flowschemas,prioritylevelconfigurations -o yaml > cluster.yaml
kubectl apf simulate --trace=trace.jsonl --baseline=cluster.yaml -f change.yaml --compare

# Predict the rate of an operator without its own limit, and who would wait for it
kubectl apf simulate --trace=scaler.trace --client-log=system:serviceaccount:shop:scaler=scaler.log

# Check a change in CI
kubectl apf simulate --trace=trace.jsonl -f change.yaml --assert="level.workload-high.wait.p99 < 100ms"`,
	}.command(s.run)
	s.addTo(c)
	s.output.addTo(c)
	f := c.Flags()
	f.StringArrayVar(&s.baseline, "baseline", nil, "A file or directory of the baseline. It may be repeated: all are merged over the built-in objects.")
	f.StringVar(&s.release, "release", "", "The Kubernetes release, such as 1.33, whose built-in objects and estimates are used.")
	f.IntVar(&s.total, "total", 0, "The number of seats of one API server; 0 for 600, as without flags.")
	addTenantsTo(c, &s.tenants, "It requires --engine=apf.")
	f.IntVar(&s.options.Flows, "flows", 10, "The number of flows of each priority level in the report.")
	f.StringArrayVarP(&s.candidates, "filename", "f", nil, "A file or directory of a candidate. It may be repeated: each is a separate candidate.")
	f.BoolVar(&s.compare, "compare", false, "Compare the candidates with the baseline.")
	f.StringArrayVar(&s.clients, "client-log", nil, "The log of a client, USER=PATH, to predict its rate without its own limit (QPS and Burst), and who would wait. It may be repeated.")
	f.StringVar(&s.logs.zone, "log-time-zone", "UTC", "The time zone of --client-log, such as Europe/Berlin.")
	f.StringArrayVar(&s.assertions, "assert", nil, "An assertion. It may be repeated.")
	return c
}

func (s *simulateCommand) run(ctx context.Context, _ []string) error {
	if s.trace == "" {
		return errors.New("--trace is required: the trace to simulate; kubectl apf record makes one")
	}
	if s.compare && len(s.candidates) == 0 {
		return errors.New("--compare requires a candidate: -f")
	}
	if err := checkTenants(s.tenants); err != nil {
		return err
	}
	if s.tenants == rules.ServiceAccountNamespaces && s.options.Engine != simulate.APF {
		return fmt.Errorf("--%s=%s requires --engine=%s: kube-apiserver has no tenants", tenantsFlag, s.tenants, simulate.APF)
	}
	assertions, err := parseAssertions("--assert", s.assertions)
	if err != nil {
		return err
	}
	candidates, err := s.configurations(ctx)
	if err != nil {
		return err
	}
	defer s.begin(ctx)()
	for _, text := range s.clients {
		without, err := s.without(ctx, text)
		if err != nil {
			return fmt.Errorf("--client-log: %w", err)
		}
		candidates = append(candidates, simulate.Candidate{Name: "without-limit", Configuration: candidates[0].Configuration, Without: without})
	}
	report, err := simulate.Run(ctx, s.options, candidates...)
	if err != nil {
		return err
	}
	report.Trace.Name = filepath.Base(s.trace)
	holds := report.Assert(assertions)
	if err := s.output.write(s.env, report); err != nil {
		return err
	}
	return findingsIf(!holds)
}

// configurations returns what is simulated, the baseline first.
func (s *simulateCommand) configurations(ctx context.Context) ([]simulate.Candidate, error) {
	var out []simulate.Candidate
	if s.compare || len(s.candidates) == 0 || len(s.clients) > 0 {
		c, err := s.configuration(ctx, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, simulate.Candidate{Name: simulate.Baseline, Configuration: c})
	}
	names := map[string]int{simulate.Baseline: 1}
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

// without returns the trace without the limit of a client, by its log.
func (s *simulateCommand) without(ctx context.Context, text string) (*simulate.WithoutLimit, error) {
	log, err := record.ParseLog(text) // USER=PATH has the form of REPLICA=PATH
	if err == nil && log.Replica == "" {
		err = fmt.Errorf("%q must be USER=PATH", text)
	}
	if err != nil {
		return nil, err
	}
	clock, err := s.logs.clock(s.env)
	if err != nil {
		return nil, err
	}
	limit := simulate.ClientLimit{User: log.Replica}
	waited := func(w logs.Wait) {
		if !w.ByServer {
			limit.Add(w.At, w.Delay)
		}
	}
	if err := readClient(ctx, s.env, log.Path, logs.ClientReader{Clock: clock, Waited: waited}); err != nil {
		return nil, err
	}
	return limit.Without(s.options.Open)
}

// configuration returns the baseline with files merged over it.
func (s *simulateCommand) configuration(ctx context.Context, files []string) (configuration.Configuration, error) {
	base, err := s.open(s.baseline)
	if err != nil {
		return configuration.Configuration{}, err
	}
	c, err := base.Configuration(ctx)
	c.Tenants = s.tenants
	if err != nil || len(files) == 0 {
		return c, err
	}
	above, err := s.open(files)
	if err != nil {
		return c, err
	}
	objects, err := above.Files()
	if err != nil {
		return c, err
	}
	return objects.Over(c)
}

func (s *simulateCommand) open(files []string) (source.Source, error) {
	return source.New(source.Options{
		Files: resource.FilenameOptions{Filenames: files}, Stdin: s.env.In, Offline: true,
		Release: configuration.Release(s.release), Total: s.total, Now: s.env.Clock.Now,
	})
}

// simulating are the flags that say how a trace is simulated.
type simulating struct {
	env     Environment
	options simulate.Options
	trace   string
	quiet   bool
}

func (s *simulating) addTo(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.trace, "trace", "", "The trace, optionally compressed with gzip or zstd.")
	f.StringVar((*string)(&s.options.Engine), "engine", "", "The engine: library (k8s.io/apiserver, as in kube-apiserver; the default) or apf (flowcontrol-apiserver).")
	f.StringVar((*string)(&s.options.Loop), "loop", string(simulate.Open), "open: requests arrive as in the trace; closed: clients wait for their answers.")
	f.IntVar(&s.options.Replicas, "replicas", 0, "The number of API servers; 0 for as many as in the trace.")
	f.BoolVar(&s.quiet, "quiet", false, "Write no progress to standard error.")
}

// parseAssertions parses the values of a flag.
func parseAssertions(flag string, texts []string) ([]*simulate.Assertion, error) {
	var assertions []*simulate.Assertion
	for _, text := range texts {
		a, err := simulate.ParseAssertion(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		assertions = append(assertions, a)
	}
	return assertions, nil
}

// begin prepares simulations, and returns what ends them. They tell their progress. The garbage
// collector runs less often: a simulation needs little memory, and its queue sets make much garbage.
func (s *simulating) begin(ctx context.Context) (end func()) {
	if s.options.Open == nil {
		s.options.Open = func() (simulate.Source, error) { return trace.Open(ctx, s.trace) }
	}
	line := &progressLine{env: s.env, begun: s.env.Clock.Now(), quiet: s.quiet}
	s.options.Progress = line.tell
	before := debug.SetGCPercent(300)
	return func() { debug.SetGCPercent(before) }
}

// progressInterval is how often the progress is told.
const progressInterval = 2 * time.Second

// progressLine tells the progress of simulations.
type progressLine struct {
	env         Environment
	begun, last time.Time
	quiet       bool
}

func (p *progressLine) tell(now simulate.Progress) {
	at := p.env.Clock.Now()
	if p.quiet || at.Sub(p.begun) < progressInterval || at.Sub(p.last) < progressInterval {
		return
	}
	p.last = at
	part := ""
	if now.Of > 0 {
		part = fmt.Sprintf(" (%.0f %%)", 100*float64(now.Requests)/float64(now.Of))
	}
	fmt.Fprintf(p.env.ErrOut, "%s: %d requests%s, %s simulated in %s\n",
		now.Name, now.Requests, part, now.Simulated.Round(time.Second), at.Sub(p.begun).Round(time.Second))
}
