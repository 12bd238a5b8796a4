package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/suggest"
)

// suggestCommand is "kubectl apf suggest".
type suggestCommand struct {
	simulating
	output  output
	goals   []string
	options suggest.Options
}

func newSuggest(env Environment) *cobra.Command {
	s := &suggestCommand{simulating: simulating{env: env}}
	c := page{
		use:   "suggest --trace TRACE --goal ASSERTION...",
		short: "Search settings of priority levels that meet goals",
		long: `kubectl apf suggest simulates a trace to find settings of priority levels that meet
goals: shares, lendable and borrowing percentages, and queues. It prints the objects that
change, and who gains and who pays. It applies nothing.

A goal is an assertion as for kubectl apf simulate. The search takes one step after the
other, so it may miss better settings. Unless --allow names them, the levels exempt,
catch-all, system, leader-election and node-high are neither changed nor made worse.

The exit status is 1 if the goals are not met.`,
		examples: `# Search for settings that keep the waits of a level short
kubectl apf suggest --trace=trace.jsonl --release=1.33 --goal="level.workload-high.wait.p99 < 100ms"

# The same for a flow, in the configuration of a cluster
kubectl get flowschemas,prioritylevelconfigurations -o yaml > cluster.yaml
kubectl apf suggest --trace=trace.jsonl --baseline=cluster.yaml --goal="flow.robots.robot.rejected == 0"`,
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return s.run(c.Context()) }
	s.addFlags(c)
	c.Flags().StringArrayVar(&s.goals, "goal", nil, "An assertion that has to hold. It may be repeated.")
	c.Flags().IntVar(&s.options.Simulations, "simulations", 40, "The largest number of simulations.")
	c.Flags().StringSliceVar(&s.options.Allow, "allow", nil, "Protected priority levels that may be changed and made worse.")
	s.output.addFlag(c, formatJSON, formatYAML, formatWide)
	return c
}

func (s *suggestCommand) run(ctx context.Context) error {
	if err := s.output.validate(); err != nil {
		return err
	}
	if err := s.validate(); err != nil {
		return err
	}
	if len(s.goals) == 0 {
		return errors.New("--goal must be given, an assertion that has to hold")
	}
	var err error
	if s.options.Goals, err = parseAssertions("--goal", s.goals); err != nil {
		return err
	}
	base, err := s.configuration(ctx, nil)
	if err != nil {
		return err
	}
	defer collectLess()()
	progress := s.progress()
	s.options.Simulate = s.simulating.options
	suggestion, err := suggest.Run(ctx, s.options, base)
	progress.end()
	if err != nil {
		return err
	}
	if err := s.output.write(s.env, suggestion, nil); err != nil {
		return err
	}
	if !suggestion.Met {
		return errFindings
	}
	return nil
}
