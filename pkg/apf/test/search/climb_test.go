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
		for _, d := range append(plantedDisciplines(), disciplines...) {
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

// planted are rules that are broken on purpose, and the promise that each breaks.
var planted = []struct {
	name    string
	rules   Rules
	promise Promise
}{
	{"no debts", Rules{NoDebts: true}, Rate},
	{"newcomers first", Rules{NewcomersFirst: true}, Rate},
	{"narrow first", Rules{NarrowFirst: true}, Wide},
	{"no tenants", Rules{NoTenants: true}, Tenant},
	{"tail drop", Rules{TailDrop: true}, FullLevel},
	{"last patience", Rules{LastPatience: true}, Patience},
	{"no deadlines", Rules{NoDeadlines: true}, Deadlines},
}

func plantedDisciplines() []Discipline {
	var out []Discipline
	for _, p := range planted {
		d := Broken(p.rules)
		d.Name = p.name
		out = append(out, d)
	}
	return out
}

func TestPlanted(t *testing.T) {
	for _, p := range planted {
		begin := time.Now()
		c := Climb{Discipline: Broken(p.rules), Promises: []Promise{p.promise}, Space: Space{Starts: 5000, Tenants: true}, Seed: *climbSeed, Patience: 40}
		f := c.Run(func(f Finding) bool { return f.Loss > 1 || time.Since(begin) > 20*time.Second })
		t.Logf("%s in %v: %v", p.name, time.Since(begin).Round(time.Millisecond), c.Shrink(f))
	}
}
