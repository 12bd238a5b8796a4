package simulate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

// answer is a result with known figures.
func answer() simulate.Result {
	return simulate.Result{
		Name:    "candidate",
		Figures: simulate.Figures{Requests: 1000, Rejected: 10, RejectedBy: map[string]uint64{"queue-full": 7, "time-out": 3}, Wait: simulate.Wait{P99: 0.25}},
		Levels: []simulate.Level{
			{Name: "workload-high", Figures: simulate.Figures{Requests: 200, Wait: simulate.Wait{P99: 0.0999}}, Seats: simulate.Spread{Max: 12}, MostWaiting: 4},
			{Name: "a.b", Figures: simulate.Figures{Requests: 3}},
		},
		FlowSchemas: []simulate.Schema{{Name: "everyone", Figures: simulate.Figures{Requests: 9, Rejected: 9}}},
	}
}

func TestAssertions(t *testing.T) {
	result := answer()
	for text, holds := range map[string]bool{
		"level.workload-high.wait.p99 < 100ms":    true,
		"level.workload-high.wait.p99<99ms":       false,
		"level.workload-high.wait.p99 >= 0.0999s": true,
		"level.workload-high.seats.max <= 12":     true,
		"level.workload-high.mostWaiting != 4":    false,
		`level."a.b".requests == 3`:               true,
		"wait.p99 > 200ms":                        true,
		"rejected <= 1%":                          true,
		"rejected < 1%":                           false,
		"rejected < 11":                           true,
		"rejected.queue-full == 7":                true,
		"rejected.time-out < 0.5%":                true,
		"rejected.concurrency-limit == 0":         true,
		"schema.everyone.rejected == 100%":        true,
		" requests\t== 1000 ":                     true,
	} {
		t.Run(text, func(t *testing.T) {
			a, err := simulate.ParseAssertion(text)
			require.NoError(t, err)
			assert.Equal(t, text, a.String())
			v := a.Check(&result)
			assert.Equal(t, holds, v.Holds, "%+v", v)
			assert.NotNil(t, v.Value)
			for _, name := range []string{"workload-high", "a.b", "with space", "a=b"} {
				of := a.ForLevel(name)
				if strings.Contains(text, "level.") || strings.Contains(text, "schema.") {
					assert.Same(t, a, of)
					continue
				}
				again, err := simulate.ParseAssertion(of.String())
				require.NoError(t, err)
				assert.Equal(t, of, again)
				assert.Equal(t, name, of.Level(&result))
			}
		})
	}
}

func TestAnAssertionThatDoesNotParseSaysWhy(t *testing.T) {
	const form = "must be [level.NAME.|schema.NAME.]METRIC OPERATOR VALUE"
	for text, want := range map[string]string{
		"":                                 `the assertion "" ` + form,
		"rejected":                         form,
		"rejected <":                       form,
		`level."a.wait.p99 < 1s`:           form,
		"rejected < many":                  `the assertion "rejected < many": the value "many" must be a number`,
		"wait.p99 < 100":                   `the value "100" must be a duration such as 100ms`,
		"requests < 10%":                   `the value "10%" must be a number: only rejected may be a percentage of the requests`,
		"level.workload-high < 1":          `the metric "level.workload-high" is unknown`,
		"level..wait.p99 < 1s":             `the metric "level..wait.p99" is unknown`,
		"schema.everyone.seats.max < 1":    `the metric "seats.max" is one of levels: write level.NAME.seats.max`,
		"level.workload-high.wait.p95 < 1": `the metric "wait.p95" is unknown: must be one of dispatched, `,
		"rejected.REASON < 1":              `the metric "rejected.REASON" is unknown: `,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := simulate.ParseAssertion(text)
			assert.ErrorContains(t, err, want)
		})
	}
}

func TestABaselineThatIsAloneIsAsserted(t *testing.T) {
	a, err := simulate.ParseAssertion("rejected == 0")
	require.NoError(t, err)
	alone := simulate.Report{Results: []simulate.Result{answer()}}
	assert.False(t, alone.Assert([]*simulate.Assertion{a}))
	assert.Equal(t, []simulate.Verdict{{Assertion: "rejected == 0", Configuration: "candidate", Value: new(10.0)}}, alone.Assertions)
}

// More seats do not break these.
func TestWhichAssertionsBoundALack(t *testing.T) {
	for text, want := range map[string]bool{
		"wait.p99 < 1s": true, "wait.mean <= 1s": true, "wait.max == 0s": true, "rejected == 0": true, "rejected.time-out < 1%": true, "waited < 5": true,
		"level.a.mostWaiting <= 3": true, "wait.max == 1s": false, "wait.p99 > 1s": false, "rejected >= 1": false, "rejected != 0": false,
		"requests < 9": false, "dispatched == 0": false, "level.a.seats.max < 9": false, "level.a.lent.max <= 9": false,
	} {
		a, err := simulate.ParseAssertion(text)
		require.NoError(t, err)
		assert.Equal(t, want, a.BoundsLack(), text)
	}
}

func FuzzParseAssertion(f *testing.F) {
	f.Add(`level."a.b".rejected.queue-full <= 5%`)
	f.Add("wait.p99<1s")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := simulate.ParseAssertion(text)
		if err != nil {
			return
		}
		result := answer()
		if v := a.Check(&result); v.Value == nil && v.Why == "" {
			t.Errorf("%q has neither a value nor a reason", text)
		}
	})
}
