package simulate

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Run simulates a trace under each configuration, several at a time.
func Run(ctx context.Context, options Options, candidates ...Candidate) (*Report, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, errors.New("there is no configuration to simulate")
	}
	if tell := options.Progress; tell != nil {
		var mu sync.Mutex
		options.Progress = func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			tell(p)
		}
	}
	simulations := make([]*simulation, len(candidates))
	var all errgroup.Group
	all.SetLimit(max(1, min(runtime.GOMAXPROCS(0), 4)))
	for i, candidate := range candidates {
		all.Go(func() (err error) {
			simulations[i], err = options.simulate(ctx, candidates[0], candidate)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("the simulation was interrupted")
		}
		return nil, err
	}
	report := newReport(simulations)
	report.compare()
	for i, candidate := range candidates {
		if candidate.Without != nil {
			report.Limits = append(report.Limits, *candidate.Without.Effect.effect(simulations[0], simulations[i]))
		}
	}
	of := simulations[0]
	report.Trace = TraceInfo{Source: string(of.header.Source), Start: of.line.origin, Recorded: of.then, Notes: of.header.LeftOut.Notes}
	report.Doubt = of.then.doubt(&report.Results[0])
	return report, nil
}

// newReport returns the results. Each has the flows that are among the heaviest of any.
func newReport(simulations []*simulation) *Report {
	report := &Report{Results: make([]Result, len(simulations))}
	shown := map[string]bool{}
	for i, s := range simulations {
		r := &report.Results[i]
		*r = s.result()
		maps.Copy(shown, s.heaviest())
	}
	for i, s := range simulations {
		report.Results[i].Flows = s.flows(shown)
	}
	return report
}
