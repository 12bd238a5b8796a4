package search

import (
	"fmt"
	"math/rand/v2"
)

// Finding is the worst that a climb found.
type Finding struct {
	Scenario Scenario
	Measures Measures
	Promise  Promise
	Loss     float64
	Tried    int // scenarios
}

// String returns what was found, and how to repeat it.
func (f Finding) String() string {
	return fmt.Sprintf("%v %.2f after %d scenarios: %v\n\t%v\n\t-scenario='%v'", f.Promise, f.Loss, f.Tried, f.Measures.Broken(), f.Measures, f.Scenario)
}

// Climb looks for a large loss of any of some promises by a discipline.
type Climb struct {
	Discipline Discipline
	Promises   []Promise
	Space      Space
	Seed       uint64
	// Patience is after how many changes without a larger loss it starts again with another scenario.
	Patience int
}

// Run climbs until stop returns true for the worst so far, and returns it.
func (c Climb) Run(stop func(Finding) bool) Finding {
	g := &generator{Rand: rand.New(rand.NewPCG(c.Seed, 0)), Space: c.Space}
	var best, here Finding
	best.Loss = -1
	idle := c.Patience
	for tried := 1; ; tried++ {
		s := here.Scenario
		if idle >= c.Patience {
			s, idle, here.Loss = g.scenario(), 0, -1
		} else {
			s = g.mutate(s)
		}
		m := Judge(Run(&s, c.Discipline))
		p, loss := m.Largest(c.Promises)
		idle++
		if loss >= here.Loss {
			if loss > here.Loss*1.01 {
				idle = 0
			}
			here = Finding{Scenario: s, Measures: m, Promise: p, Loss: loss}
		}
		if here.Loss > best.Loss {
			best = here
		}
		best.Tried = tried
		if stop(best) {
			return best
		}
	}
}
