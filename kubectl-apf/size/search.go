package size

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

const (
	// abundance is the limit of each level if nothing is to be limited, in seats.
	abundance = 100_000
	// side is the number of totals or limits that are tried at one time.
	side = 3
)

// search finds what requests need.
type search struct {
	options simulate.Options
	ran     int // simulations
	// rejected is the number of requests that were rejected when they were recorded.
	rejected int64
	base     configuration.Configuration
	goals    []*simulate.Assertion
	// free is the result without limits, ofLevel the goals of each level that has requests.
	free    *simulate.Result
	ofLevel map[string][]*simulate.Assertion
}

// need is what a search found, in seats.
type need struct {
	total  int
	levels map[string]int
}

// isolated returns a configuration where each level has its limit, and no other one.
func isolated(c configuration.Configuration, limitOf func(level string) int) configuration.Configuration {
	none, total := int32(0), 0
	c = c.Changed(func(levels configuration.Settings) {
		for name, l := range levels {
			limit := int32(max(1, limitOf(name)))
			total += int(limit)
			l.NominalConcurrencyShares, l.LendablePercent = &limit, &none // what nobody lends cannot be borrowed
		}
	})
	for _, l := range c.PriorityLevels {
		if l.Spec.Exempt != nil {
			l.Spec.Exempt = &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: &none, LendablePercent: &none}
		}
	}
	c.Total = total
	return c
}

// simulate simulates configurations.
func (s *search) simulate(ctx context.Context, configurations ...configuration.Configuration) ([]simulate.Result, error) {
	candidates := make([]simulate.Candidate, len(configurations))
	for i, c := range configurations {
		s.ran++
		candidates[i] = simulate.Candidate{Name: fmt.Sprintf("simulation %d", s.ran), Configuration: c}
	}
	report, err := simulate.Run(ctx, s.options, candidates...)
	if err != nil {
		return nil, err
	}
	if s.free == nil {
		s.rejected = report.Trace.Recorded.Rejected
	}
	return report.Results, nil
}

// unlimited simulates without limits. It is an error if a goal is not met then.
func (s *search) unlimited(ctx context.Context) error {
	results, err := s.simulate(ctx, isolated(s.base, func(string) int { return abundance }))
	if err != nil {
		return err
	}
	s.free, s.ofLevel = &results[0], map[string][]*simulate.Assertion{}
	limited := s.base.Settings()
	for i := range s.free.Levels {
		l := &s.free.Levels[i]
		if limited[l.Name] == nil || l.Requests == 0 {
			continue
		}
		for _, goal := range s.goals {
			if of := goal.ForLevel(l.Name); of.Level(s.free) == l.Name {
				s.ofLevel[l.Name] = append(s.ofLevel[l.Name], of)
			}
		}
	}
	if err := s.checkScopes(limited); err != nil {
		return err
	}
	for _, goals := range s.ofLevel {
		for _, goal := range goals {
			if v := goal.Check(s.free); !v.Holds {
				return fmt.Errorf("no number of seats meets the goal %q: with %d seats for each priority level it is %s", goal, abundance, v.Text())
			}
		}
	}
	return nil
}

// checkScopes returns an error if there is nothing to size, or a goal is about nothing that
// takes seats.
func (s *search) checkScopes(limited configuration.Settings) error {
	busy := false
	for i := range s.free.Levels {
		l := &s.free.Levels[i]
		busy = busy || limited[l.Name] != nil && l.Requests > 0
	}
	if !busy {
		return fmt.Errorf("none of the %d requests takes seats of the total: there is nothing to size. Requests of exempt priority levels take none", s.free.Requests)
	}
	for _, goal := range s.goals {
		v, level := goal.Check(s.free), goal.Level(s.free)
		switch {
		case v.Value == nil:
			return fmt.Errorf("the goal %q is about nothing: %s", goal, v.Why)
		case level == "":
		case limited[level] == nil:
			return fmt.Errorf("the goal %q is met with any number of seats: the priority level %q is exempt", goal, level)
		case len(s.ofLevel[level]) == 0:
			return fmt.Errorf("the goal %q is about nothing: the priority level %q has no requests", goal, level)
		}
	}
	return nil
}

// need searches what the requests need.
func (s *search) need(ctx context.Context) (*need, error) {
	levels, err := s.levels(ctx)
	if err != nil {
		return nil, err
	}
	total, err := s.total(ctx)
	return &need{total, levels}, err
}

// levels searches the limit that each level with requests needs.
func (s *search) levels(ctx context.Context) (map[string]int, error) {
	brackets := map[string]*bracket{}
	for i := range s.free.Levels {
		l := &s.free.Levels[i]
		if len(s.ofLevel[l.Name]) > 0 {
			brackets[l.Name] = newBracket(int(math.Ceil(max(l.Seats.Max, 1))))
		}
	}
	for slices.ContainsFunc(slices.Collect(maps.Values(brackets)), func(b *bracket) bool { return !b.done() }) {
		if err := s.narrow(ctx, brackets); err != nil {
			return nil, err
		}
	}
	found := map[string]int{}
	for name, b := range brackets {
		found[name] = b.high
	}
	return found, nil
}

// narrow simulates limits within the brackets of all levels, and narrows the brackets.
func (s *search) narrow(ctx context.Context, brackets map[string]*bracket) error {
	points := map[string][]int{}
	for name, b := range brackets {
		points[name] = b.points(side)
	}
	tries := make([]configuration.Configuration, side)
	for i := range tries {
		tries[i] = isolated(s.base, func(level string) int {
			switch b := brackets[level]; {
			case b == nil:
				return 1
			case i < len(points[level]):
				return points[level][i]
			default:
				return b.high
			}
		})
	}
	results, err := s.simulate(ctx, tries...)
	if err != nil {
		return err
	}
	for name, b := range brackets {
		b.narrow(points[name], func(i int) bool { return allHold(s.ofLevel[name], &results[i]) })
	}
	return nil
}

// allHold reports whether goals hold, or are about what has no requests in a part.
func allHold(goals []*simulate.Assertion, r *simulate.Result) bool {
	return !slices.ContainsFunc(goals, func(goal *simulate.Assertion) bool {
		v := goal.Check(r)
		return !v.Holds && v.Value != nil
	})
}
