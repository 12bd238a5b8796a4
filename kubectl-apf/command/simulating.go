package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// simulating are the flags of the commands that simulate a trace.
type simulating struct {
	env      Environment
	options  simulate.Options
	trace    string
	baseline []string
	release  string
	total    int
	engine   string
	loop     string
	capacity string
	quiet    bool
}

func (s *simulating) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&s.baseline, "baseline", nil, "A file or directory of the baseline. It may be repeated: all are laid over the built-in objects.")
	f.StringVar(&s.release, "release", "", "The Kubernetes release, such as 1.33, whose built-in objects and estimates are used.")
	f.IntVar(&s.total, "total", 0, "The number of seats of one API server; 0 for 600, as without flags.")
	f.IntVar(&s.options.Flows, "flows", 10, "The number of flows of each priority level in the report.")
	s.addModelFlags(c)
}

// addModelFlags adds the flags that say how a trace is simulated.
func (s *simulating) addModelFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.trace, "trace", "", "The trace, perhaps compressed with gzip or zstd.")
	f.StringVar(&s.engine, "engine", string(simulate.Library), "Whose flow control: upstream (kube-apiserver's) or ours (flowcontrol-apiserver's).")
	f.StringVar(&s.loop, "loop", string(simulate.Open), "open: requests arrive as in the trace; closed: clients wait for their answers.")
	f.StringVar(&s.capacity, "capacity", "none", "How execution depends on load: none, processors=NUMBER, etcd=NUMBER, or both with a comma between.")
	f.DurationVar(&s.options.DispatchDelay, "dispatch-delay", 0, "How long a request that waited takes to begin after it got its seats, such as 500us.")
	f.DurationVar(&s.options.WarmUp, "warm-up", 0, "How much of the beginning of the trace is simulated and not counted, such as 1m.")
	f.IntVar(&s.options.Replicas, "replicas", 0, "The number of API servers; 0 for as many as the trace names.")
	f.Uint64Var(&s.options.Seed, "seed", 0, "The seed that decides which replica a client asks.")
	f.BoolVar(&s.quiet, "quiet", false, "Write no progress to standard error.")
}

// validate checks the flags and completes the options.
func (s *simulating) validate() error {
	if s.trace == "" {
		return errors.New("--trace must be given, the trace to simulate; kubectl apf record makes one")
	}
	return s.complete()
}

// complete sets the options that the flags say.
func (s *simulating) complete() error {
	var err error
	if s.options.Capacity, err = simulate.ParseCapacity(s.capacity); err != nil {
		return fmt.Errorf("--capacity: %w", err)
	}
	s.options.Engine, s.options.Loop = simulate.EngineKind(s.engine), simulate.Loop(s.loop)
	s.options.Open = func() (simulate.Source, error) { return trace.Open(s.trace) }
	return nil
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

// configuration returns the baseline with files laid over it.
func (s *simulating) configuration(ctx context.Context, files []string) (configuration.Configuration, error) {
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
			c = c.Overlay([]*flowcontrolv1.FlowSchema{o.FlowSchema}, nil)
		} else {
			c = c.Overlay(nil, []*flowcontrolv1.PriorityLevelConfiguration{o.PriorityLevel})
		}
	}
	return c, nil
}

func (s *simulating) open(files []string) (source.Source, error) {
	return source.New(source.Options{
		Files: resource.FilenameOptions{Filenames: files}, Stdin: s.env.In, Offline: true,
		Release: configuration.Release(s.release), Total: s.total, Now: s.env.Clock.Now,
	})
}

// progress makes simulations tell their progress.
func (s *simulating) progress() *progressLine {
	line := &progressLine{env: s.env, begun: s.env.Clock.Now(), quiet: s.quiet}
	s.options.Progress = line.tell
	return line
}

// collectLess makes the garbage collector run less often, and returns what undoes that. A
// simulation needs little memory, and its queue sets make much garbage.
func collectLess() func() {
	before := debug.SetGCPercent(300)
	return func() { debug.SetGCPercent(before) }
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
