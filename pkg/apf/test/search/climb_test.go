package search

import (
	"flag"
	"testing"
	"time"
)

var (
	scenario     = flag.String("scenario", "", "a scenario to judge, as a finding prints it")
	climbFor     = flag.Duration("climb", 0, "how long to climb for each promise")
	climbOn      = flag.String("on", "engine", "the discipline to climb on")
	climbTo      = flag.String("to", "", "the promise to climb on")
	climbTenants = flag.Bool("tenants", false, "tenants and weights")
	climbSeats   = flag.Bool("seats", false, "limits that change")
	climbSeed    = flag.Uint64("climbseed", 1, "seed")
	dbgFrom      = flag.Duration("from", 0, "")
	dbgTo        = flag.Duration("till", 0, "")
)

// TestScenario judges the scenario of the flag, if there is one, or that of the first row.
func TestScenario(t *testing.T) {
	s := firstTable[0].scenario
	if *scenario != "" {
		var err error
		if s, err = Parse(*scenario); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range disciplines {
		h := Run(&s, d)
		m := Judge(h)
		t.Logf("%s: %v\n\t%v\n\t%v %v", d.Name, m, outcomes(h), m.Broken(), m.Worst)
	}
}

func TestClimb(t *testing.T) {
	for _, p := range All() {
		if *climbTo != "" && p.String() != *climbTo {
			continue
		}
		for _, d := range disciplines {
			if d.Name != *climbOn {
				continue
			}
			space := Space{Starts: 8000, Seats: *climbSeats, Tenants: *climbTenants, Weights: *climbTenants}
			c := Climb{Discipline: d, Promises: []Promise{p}, Space: space, Seed: *climbSeed, Patience: 40}
			begin := time.Now()
			f := c.Run(func(f Finding) bool { return time.Since(begin) > *climbFor })
			f = c.Shrink(f)
			t.Logf("%s in %v: %v", d.Name, time.Since(begin).Round(time.Millisecond), f)
		}
	}
}
