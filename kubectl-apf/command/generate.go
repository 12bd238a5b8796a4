package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/scenario"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// generateCommand is "kubectl apf generate".
type generateCommand struct {
	env    Environment
	output traceFile
	file   string
	seed   uint64
}

func newGenerate(env Environment) *cobra.Command {
	g := &generateCommand{env: env}
	c := page{
		use:   "generate -f SCENARIO.yaml -o TRACE",
		short: "Generate a trace of requests from a scenario",
		long: `kubectl apf generate writes a trace of requests that no server received, sent by the
clients of a scenario: at random times, in bursts, or in the shape of another trace; or by
workers that think, informers that list and watch, and controllers that react to writes.

Clients that wait for answers meet a server without limits. The same scenario and
seed result in the same trace. docs/simulate.md has the form of a scenario.`,
		examples: `# Generate a trace
kubectl apf generate -f scenario.yaml -o a.trace.gz

# Generate another one from the same scenario
kubectl apf generate -f scenario.yaml --seed=2 -o b.trace.gz`,
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return g.run(c.Context(), c.Flags().Changed("seed")) }
	c.Flags().StringVarP(&g.file, "filename", "f", "", "The scenario.")
	c.Flags().Uint64Var(&g.seed, "seed", 0, "The seed of the random numbers, instead of the scenario's.")
	g.output.addFlags(c)
	return c
}

func (g *generateCommand) run(ctx context.Context, seeded bool) error {
	if g.file == "" {
		return errors.New("-f must be given, the file of a scenario")
	}
	if err := g.output.validate(); err != nil {
		return err
	}
	s, err := scenario.Read(g.file)
	if err != nil {
		return err
	}
	if seeded {
		s.Seed = g.seed
	}
	header, err := headerOf(ctx, g.file, s)
	if err != nil {
		return err
	}
	return g.output.write(ctx, g.env, header, s.Generate)
}

// headerOf returns the header of the trace of a scenario in a file, which must have requests.
func headerOf(ctx context.Context, file string, s *scenario.Scenario) (trace.Header, error) {
	header, err := s.Header(ctx)
	if err == nil && header.Requests == 0 {
		err = errors.New(file + ": the scenario has no request: its clients send none within its duration")
	}
	return header, err
}
