package search

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

var (
	all      = flag.Bool("all", false, "compare all disciplines")
	scenario = flag.String("scenario", "", "a scenario to judge, as a finding prints it")
	climbOn  = flag.String("on", "", "the name of a discipline to climb on, instead of those that must keep the promises")
	climbFor = flag.Duration("climb", 0, "how long to climb for each promise, instead of a number of scenarios")
	climbTo  = flag.String("to", "", "the only promise to climb for")
)

// known returns the discipline with a name.
func known(t *testing.T, name string) Discipline {
	t.Helper()
	candidates := []Discipline{Engine, Reference, stopping, library}
	for _, p := range planted {
		d := Broken(p.rules)
		d.Name = p.name
		candidates = append(candidates, d)
	}
	i := slices.IndexFunc(candidates, func(d Discipline) bool { return d.Name == name })
	require.NotEqual(t, -1, i, "no discipline is named %q", name)
	return candidates[i]
}

// TestScenario repeats a finding: go test -run TestScenario -v -scenario='{...}'. Without the flag it
// plays the first row of the tables.
func TestScenario(t *testing.T) {
	s := firstTable[0].scenario
	if *scenario != "" {
		var err error
		s, err = Parse(*scenario)
		require.NoError(t, err)
	}
	again, err := Parse(s.String())
	require.NoError(t, err)
	for _, d := range disciplines() {
		h := Run(&s, d)
		m := Judge(h)
		t.Logf("%s: %v\n\t%v\n\tbroken: %v", d.Name, outcomes(h), m, m.Broken())
		require.Equal(t, m, Judge(Run(&again, d)), "a scenario is the same in each run")
	}
}

// perPromise is how many scenarios are tried for each promise.
var perPromise = lane.Pick(60, 1<<30)

// perPromiseLasts ends it in the long lane: ten minutes for all promises.
const perPromiseLasts = 10 * time.Minute / time.Duration(promises)

// TestSearch climbs towards the largest loss of each promise.
func TestSearch(t *testing.T) {
	seed := lane.Seed(t)
	on := keepers
	if *climbOn != "" {
		on = []string{*climbOn}
	}
	for _, name := range on {
		for _, p := range All() {
			if *climbTo != "" && p.String() != *climbTo {
				continue
			}
			t.Run(name+"/"+p.String(), func(t *testing.T) {
				begin, lasts, most := time.Now(), perPromiseLasts/time.Duration(len(on)), perPromise
				if *climbFor > 0 {
					lasts, most = *climbFor, 1<<30
				}
				c := Climb{
					Discipline: known(t, name), Promises: []Promise{p}, Seed: seed + uint64(p), Patience: 30,
					Space: Space{Starts: 3000, Tenants: name != Engine.Name, Weights: name != Engine.Name, Seats: true},
				}
				f := c.Run(func(f Finding) bool { return f.Tried >= most || time.Since(begin) > lasts })
				t.Logf("%d scenarios in %v; the worst: %v", f.Tried, time.Since(begin).Round(time.Millisecond), f)
				if *climbOn == "" {
					assert.LessOrEqual(t, f.Loss, 1.0, "shorter: %v", c.Shrink(f))
				}
			})
		}
	}
}

// planted are rules that are broken on purpose, and what each breaks.
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

// mostTries is how many scenarios a fault is looked for in: about half a minute on a slow machine.
const mostTries = 1500

// found climbs until a promise is broken.
func found(t *testing.T, d Discipline, p Promise, tenants bool) {
	t.Helper()
	begin := time.Now()
	c := Climb{Discipline: d, Promises: []Promise{p}, Space: Space{Starts: 3000, Tenants: tenants}, Seed: 1, Patience: 30}
	f := c.Run(func(f Finding) bool { return f.Loss > 1 || f.Tried >= mostTries })
	t.Logf("in %v: %v", time.Since(begin).Round(time.Millisecond), f)
	assert.Greater(t, f.Loss, 1.0, "nobody sees that the rule is broken")
}

func TestBrokenRulesAreFound(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) { found(t, Broken(p.rules), p.promise, true) })
	}
	for _, p := range []Promise{Rate, Newcomer, Lag} {
		t.Run("the clock stops/"+p.String(), func(t *testing.T) { found(t, stopping, p, false) })
	}
}
