package suggest

import (
	"context"
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
)

// Settings are the settings of limited priority levels, by name.
type Settings map[string]*flowcontrolv1.LimitedPriorityLevelConfiguration

// SettingsOf returns the settings of the levels that are limited.
func SettingsOf(c configuration.Configuration) Settings {
	out := Settings{}
	for _, l := range c.PriorityLevels {
		if l.Spec.Limited != nil {
			out[l.Name] = l.Spec.Limited
		}
	}
	return out
}

// Changed returns a configuration after a change. It leaves the given one as it is.
func Changed(c configuration.Configuration, change func(Settings)) configuration.Configuration {
	levels := make([]*flowcontrolv1.PriorityLevelConfiguration, len(c.PriorityLevels))
	for i, l := range c.PriorityLevels {
		levels[i] = l.DeepCopy()
	}
	c.PriorityLevels = levels
	change(SettingsOf(c))
	return c
}

// SharesOf returns the nominal shares of a level, the default if it states none.
func SharesOf(l *flowcontrolv1.LimitedPriorityLevelConfiguration) int32 {
	if l.NominalConcurrencyShares == nil {
		return defaultShares
	}
	return *l.NominalConcurrencyShares
}

// Trials are the simulations of a search. It is not safe for concurrent use.
type Trials struct {
	// Simulate says how configurations are simulated.
	Simulate simulate.Options
	// Most is the largest number of simulations; 0 for any number.
	Most int
	// Ran is the number of simulations so far.
	Ran int
}

// Run simulates configurations, several at a time. The result of one that was interrupted
// is nil.
func (t *Trials) Run(ctx context.Context, configurations ...configuration.Configuration) ([]*simulate.Result, error) {
	candidates := make([]simulate.Candidate, len(configurations))
	for i, c := range configurations {
		t.Ran++
		name := fmt.Sprintf("simulation %d", t.Ran)
		if t.Most > 0 {
			name += fmt.Sprintf(" of at most %d", t.Most)
		}
		candidates[i] = simulate.Candidate{Name: name, Configuration: c}
	}
	report, err := simulate.Run(ctx, t.Simulate, candidates...)
	if err != nil {
		return nil, err
	}
	out := make([]*simulate.Result, len(candidates))
	for i := range out {
		if r := &report.Results[i]; !r.Interrupted {
			out[i] = r
		}
	}
	return out, nil
}
