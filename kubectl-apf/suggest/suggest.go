package suggest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

// Options are what is searched for.
type Options struct {
	// Simulate says how configurations are simulated.
	Simulate simulate.Options
	// Goals are what has to hold.
	Goals []*simulate.Assertion
	// Simulations is the largest number of simulations; 0 for 40.
	Simulations int
	// Allow are the protected levels that may be changed and harmed.
	Allow []string
}

// defaultSimulations is the number of simulations if none is stated.
const defaultSimulations = 40

// Suggestion is the best configuration that was found.
type Suggestion struct {
	// Met reports whether all goals are met.
	Met bool `json:"met"`
	// Simulations is the number of simulations that it took.
	Simulations int `json:"simulations"`
	// Before and After are the goals in the baseline and with the suggestion.
	Before []simulate.Verdict `json:"before"`
	After  []simulate.Verdict `json:"after"`
	// Steps say what changes, in sentences. Without any, nothing better was found.
	Steps []string `json:"steps"`
	// PriorityLevels are the objects that change.
	PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration `json:"priorityLevels"`
	// Differences are what the suggestion costs and gains the others, the largest first.
	Differences []simulate.Difference `json:"differences"`
	// Notes are sentences about what was assumed.
	Notes []string `json:"notes,omitempty"`
}

// search is a search in progress.
type search struct {
	options   Options
	protected map[string]bool
	base      configuration.Configuration
	baseline  simulate.Result
	trials    simulate.Trials
	left      int
	notes     []string
}

// state is a configuration and its result.
type state struct {
	steps  []step
	result simulate.Result
	score  score
}

// score orders states: the less, the better.
type score struct {
	unmet          int
	excess, damage float64
}

func (s score) closer(than score) bool {
	return s.unmet < than.unmet || s.unmet == than.unmet && s.excess < than.excess
}

func (s score) better(than score) bool {
	return s.closer(than) || s.unmet == than.unmet && s.excess == than.excess && s.damage < than.damage
}

// Run searches. If the context ends, it returns the best configuration so far.
func Run(ctx context.Context, options Options, base configuration.Configuration) (*Suggestion, error) {
	if len(options.Goals) == 0 {
		return nil, errors.New("there is no goal to search for")
	}
	if options.Simulations == 0 {
		options.Simulations = defaultSimulations
	}
	if options.Simulations < 2 {
		return nil, fmt.Errorf("the number of simulations is %d: must be at least 2", options.Simulations)
	}
	s := &search{
		options: options, base: base, left: options.Simulations, protected: map[string]bool{},
		trials: simulate.Trials{Options: options.Simulate, Most: options.Simulations},
	}
	for _, name := range configuration.ProtectedLevels() {
		s.protected[name] = !slices.Contains(options.Allow, name)
	}
	first, err := s.simulate(ctx, [][]step{nil})
	if err != nil {
		return nil, err
	}
	if len(first) == 0 {
		return nil, errors.New("the simulation of the baseline was interrupted: nothing can be suggested")
	}
	best := first[0]
	if best, err = s.climb(ctx, best); err != nil {
		return nil, err
	}
	if best, err = s.shorten(ctx, best); err != nil {
		return nil, err
	}
	return s.suggestion(first[0], best), nil
}

// climb takes steps until the goals are met or no step comes closer.
func (s *search) climb(ctx context.Context, best state) (state, error) {
	for best.score.unmet > 0 && s.left > 0 && ctx.Err() == nil {
		var tries [][]step
		for _, one := range s.steps(best) {
			tries = append(tries, append(slices.Clone(best.steps), one))
		}
		states, err := s.simulate(ctx, tries)
		if err != nil {
			return best, err
		}
		next := best
		for _, candidate := range states {
			if !s.harms(&candidate.result) && candidate.score.better(next.score) {
				next = candidate
			}
		}
		if !next.score.closer(best.score) {
			return best, nil
		}
		best = next
	}
	return best, nil
}

// shorten leaves out steps that the goals do not need.
func (s *search) shorten(ctx context.Context, best state) (state, error) {
	for i := 0; i < len(best.steps) && len(best.steps) > 1 && best.score.unmet == 0 && s.left > 0 && ctx.Err() == nil; {
		fewer := slices.Delete(slices.Clone(best.steps), i, i+1)
		states, err := s.simulate(ctx, [][]step{fewer})
		if err != nil {
			return best, err
		}
		if len(states) == 1 && states[0].score.unmet == 0 && !s.harms(&states[0].result) {
			best = states[0]
			continue
		}
		i++
	}
	return best, nil
}

// steps returns the steps from a state, each once.
func (s *search) steps(from state) []step {
	var out []step
	seen := map[string]bool{}
	c := applied(s.base, from.steps)
	for _, target := range s.targets(from) {
		for _, one := range steps(c, &from.result, target, s.protected) {
			if !seen[one.text] {
				seen[one.text] = true
				out = append(out, one)
			}
		}
	}
	return out
}

// targets returns the levels of the goals that are not met. A goal for all requests is
// about each level with requests that waited or were rejected.
func (s *search) targets(from state) []string {
	var names []string
	for _, goal := range s.options.Goals {
		if goal.Excess(&from.result) == 0 {
			continue
		}
		if level := goal.Level(&from.result); level != "" {
			names = append(names, level)
			continue
		}
		for i := range from.result.Levels {
			if l := &from.result.Levels[i]; l.Waited+l.Rejected > 0 {
				names = append(names, l.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// simulate simulates configurations, as many as the budget allows. Interrupted ones are left out.
func (s *search) simulate(ctx context.Context, tries [][]step) ([]state, error) {
	tries = tries[:min(len(tries), s.left)]
	if len(tries) == 0 {
		return nil, nil
	}
	configurations := make([]configuration.Configuration, len(tries))
	for i, steps := range tries {
		configurations[i] = applied(s.base, steps)
	}
	s.left -= len(tries)
	first := s.trials.Ran == 0
	results, err := s.trials.Run(ctx, configurations...)
	if err != nil {
		return nil, err
	}
	var out []state
	for i, steps := range tries {
		r := results[i]
		if r == nil {
			continue
		}
		if first {
			s.baseline, s.notes = *r, r.Notes
		}
		out = append(out, state{steps: steps, result: *r, score: s.score(r)})
	}
	return out, nil
}

func (s *search) score(r *simulate.Result) score {
	var out score
	for _, goal := range s.options.Goals {
		if excess := goal.Excess(r); excess > 0 {
			out.unmet++
			out.excess += excess
		}
	}
	for _, d := range simulate.Compare(&s.baseline, r) {
		if !d.Gains && d.Kind == simulate.OfLevel {
			out.damage += d.Size()
		}
	}
	return out
}

// harms reports whether a protected level is worse than in the baseline.
func (s *search) harms(r *simulate.Result) bool {
	return slices.ContainsFunc(simulate.Compare(&s.baseline, r), func(d simulate.Difference) bool {
		return d.Kind == simulate.OfLevel && !d.Gains && s.protected[d.Name]
	})
}

// suggestion returns what was found.
func (s *search) suggestion(first, best state) *Suggestion {
	best.result.Name = "suggestion"
	first.result.Name = "baseline"
	out := &Suggestion{
		Met: best.score.unmet == 0, Simulations: s.trials.Ran, Steps: []string{},
		Differences: simulate.Compare(&first.result, &best.result), Notes: s.notes,
	}
	for _, one := range best.steps {
		out.Steps = append(out.Steps, one.text)
	}
	for _, goal := range s.options.Goals {
		out.Before = append(out.Before, goal.Check(&first.result))
		out.After = append(out.After, goal.Check(&best.result))
	}
	changed := applied(s.base, best.steps)
	for i, l := range changed.PriorityLevels {
		if !equal(l, s.base.PriorityLevels[i]) {
			out.PriorityLevels = append(out.PriorityLevels, manifest(l))
		}
	}
	return out
}
