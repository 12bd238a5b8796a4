package search

import (
	"cmp"
	"flag"
	"maps"
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
	tenants  = flag.Bool("tenants", true, "climb with tenants, weights, and limits that change")
	climbAt  = flag.Int("seats", 0, "the number of seats to climb with; any if 0")
	climbTo  = flag.String("to", "", "the only promise to climb for")
)

// known returns the discipline with a name.
func known(t *testing.T, name string) Discipline {
	t.Helper()
	candidates := append([]Discipline{Engine(), Reference(), stopping}, libraries()...)
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

// scenarios is how many a search tries, and longest how long: ten minutes in the long lane.
var (
	scenarios = lane.Pick(300, 1<<30)
	longest   = 10 * time.Minute / time.Duration(len(keepers))
)

// TestSearch climbs towards the largest loss, on each discipline that must keep the promises.
func TestSearch(t *testing.T) {
	seed, on, to, most, lasts := lane.Seed(t), slices.Sorted(maps.Keys(keepers)), All(), scenarios, longest
	if *climbOn != "" {
		on = []string{*climbOn}
	}
	if *climbTo != "" {
		to = slices.DeleteFunc(to, func(p Promise) bool { return p.String() != *climbTo })
	}
	if *climbFor > 0 {
		most, lasts = 1<<30, *climbFor
	}
	for _, name := range on {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			c := Climb{Discipline: known(t, name), Promises: to, Allowed: keepers[name], Seed: seed, Patience: 30, Space: Space{Starts: 3000, Tenants: *tenants, Weights: *tenants, Seats: *tenants, Level: *climbAt}}
			f := c.Run(func(f Finding) bool { return f.Tried >= most || time.Since(begin) > lasts })
			t.Logf("%d scenarios in %v; the worst: %v", f.Tried, time.Since(begin).Round(time.Millisecond), f)
			if f.Loss > 1 {
				f = c.Shrink(f)
				t.Logf("the shortest: %v", f)
			}
			if *climbOn == "" {
				assert.LessOrEqual(t, f.Loss, 1.0)
			}
		})
	}
}

// planted are rules that are broken on purpose.
var planted = []struct {
	name  string
	rules Rules
}{
	{"debtors divide", Rules{DebtorsDivide: true}},
	{"newcomers first", Rules{NewcomersFirst: true}},
	{"narrow first", Rules{NarrowFirst: true}},
	{"no tenants", Rules{NoTenants: true}},
	{"tail drop", Rules{TailDrop: true}},
	{"last patience", Rules{LastPatience: true}},
	{"no deadlines", Rules{NoDeadlines: true}},
}

// mostTries is how many scenarios a fault is looked for in: half a minute on a slow machine.
const mostTries = 1500

func TestBrokenRulesAreFound(t *testing.T) {
	search := func(name string, d Discipline, tenants bool) {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			allowed := keepers["reference"]
			c := Climb{Discipline: d, Promises: All(), Allowed: allowed, Space: Space{Starts: 3000, Tenants: tenants}, Seed: 1, Patience: 20}
			f := c.Run(func(f Finding) bool { return f.Loss > 1 || f.Tried >= mostTries })
			t.Logf("in %v: %v", time.Since(begin).Round(time.Millisecond), f)
			require.Greater(t, f.Loss, 1.0, "the broken rule is not found")
			assert.LessOrEqual(t, Judge(Run(&f.Scenario, Reference())).Loss(f.Promise), cmp.Or(allowed[f.Promise], 1), "it is not the rule that is at fault")
		})
	}
	for _, p := range planted {
		search(p.name, Broken(p.rules), true)
	}
	search("the clock stops while requests wait", stopping, false)
}
