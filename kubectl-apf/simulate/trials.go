package simulate

import (
	"context"
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// Trials are the simulations of a search. It is not safe for concurrent use.
type Trials struct {
	Options Options
	// Most is the largest number of simulations; 0 for any number.
	Most int
	// Ran is the number of simulations so far.
	Ran int
}

// Run simulates configurations, several at a time. The result of one that was interrupted
// is nil.
func (t *Trials) Run(ctx context.Context, configurations ...configuration.Configuration) ([]*Result, error) {
	candidates := make([]Candidate, len(configurations))
	for i, c := range configurations {
		t.Ran++
		name := fmt.Sprintf("simulation %d", t.Ran)
		if t.Most > 0 {
			name += fmt.Sprintf(" of at most %d", t.Most)
		}
		candidates[i] = Candidate{Name: name, Configuration: c}
	}
	report, err := Run(ctx, t.Options, candidates...)
	if err != nil {
		return nil, err
	}
	out := make([]*Result, len(candidates))
	for i := range out {
		if r := &report.Results[i]; !r.Interrupted {
			out[i] = r
		}
	}
	return out, nil
}
