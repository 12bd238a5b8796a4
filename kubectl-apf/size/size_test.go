package size_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// sized sizes requests with the engine of this server, which is fast.
func sized(t *testing.T, r requests, options size.Options, c configuration.Configuration, goals ...string) *size.Size {
	t.Helper()
	out, err := size.Run(context.Background(), of(t, r, options, goals...), c)
	require.NoError(t, err)
	return out
}

func of(t *testing.T, r requests, options size.Options, goals ...string) size.Options {
	t.Helper()
	options.Simulate.Engine, options.Goals = simulate.APF, assertions(t, goals...)
	if options.Simulate.Open == nil {
		options.Simulate.Open = r.open
	}
	return options
}

func levelOf(t *testing.T, s *size.Size, name string) size.Level {
	t.Helper()
	for _, l := range s.Levels {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("there is no level %s", name)
	return size.Level{}
}

// unshared is a configuration whose levels do not borrow.
func unshared(t *testing.T) configuration.Configuration {
	t.Helper()
	c, none := builtIn(t), int32(0)
	for _, l := range c.PriorityLevels {
		if l.Spec.Limited != nil {
			l.Spec.Limited.LendablePercent, l.Spec.Limited.BorrowingLimitPercent = &none, &none
		}
	}
	return c
}

// every sends a request at equal distances, in seconds, each a little shorter than ten of them.
func every(seconds float64) requests {
	at := bursts(seconds, 1, 0)
	return traffic(1, 40*time.Second, person(at, constant(10*seconds-0.01)))
}

// Ten requests a second of nearly a second each use ten seats, by Little's law, and with ten seats
// none waits. The level has 20 of 245 shares, so ten seats of it are 112 to 122 in total:
// ceil(T * 20 / 245) >= 10 from T = 111 on. Another level with more shares has five of them.
func TestAConstantStreamNeedsItsSeats(t *testing.T) {
	all := traffic(1, 40*time.Second, person(bursts(0.1, 1, 0), constant(0.99)), robot(bursts(0.2, 1, 0), constant(0.99)))
	out := sized(t, all, size.Options{Have: 600}, unshared(t), "wait.max == 0s")
	l := levelOf(t, out, "global-default")
	require.NotNil(t, l.Need)
	assert.Equal(t, 10, l.Need.Seats)
	assert.InDelta(t, 10, *l.PerSecond, 0.5)
	assert.InDelta(t, 10, l.Mean, 0.5)
	assert.InDelta(t, 10, l.Most, 0)
	assert.Equal(t, 49, *l.Have) // ceil(600 * 20 / 245)
	assert.InDelta(t, 111, out.Need.Seats, 2)
	assert.Equal(t, size.Yes, out.Enough)
	assert.Equal(t, 5, levelOf(t, out, "workload-low").Need.Seats)
	assert.Equal(t, 10+5+5, out.Fitted.Seats) // and a seat of each of the other five levels that are limited
	assert.Nil(t, levelOf(t, out, "system").Need)
	assert.Contains(t, strings.Join(out.Notes, "\n"), "What these levels need is unknown: no request was theirs: catch-all, leader-election, node-high, system, workload-high.")
	assert.True(t, levelOf(t, out, "exempt").Exempt)
}

func TestSharesOfTheExemptLevelChangeNoNeed(t *testing.T) {
	c, shares := unshared(t), int32(1000)
	for _, l := range c.PriorityLevels {
		if l.Spec.Exempt != nil {
			l.Spec.Exempt.NominalConcurrencyShares = &shares
		}
	}
	out := sized(t, every(0.1), size.Options{Have: 600}, c, "wait.max == 0s")
	assert.Equal(t, 10, levelOf(t, out, "global-default").Need.Seats)
}

// 0 would be no limit, and a total of one seat cannot adapt.
// An idle cluster, as one request of no time, says nothing about a busy one.
func TestTooLittleGivesNoFlags(t *testing.T) {
	out := sized(t, traffic(1, time.Minute, node(poisson(1), constant(0.001))), size.Options{}, builtIn(t), "wait.p99 < 100ms")
	assert.Nil(t, out.Flags, "too few requests")
	out = sized(t, traffic(1, time.Minute, node(poisson(50), constant(0.001))), size.Options{}, builtIn(t), "wait.p99 < 100ms")
	assert.Nil(t, out.Flags, "too few seats")
	one := sized(t, traffic(1, 2*time.Second, node(bursts(3, 1, 0), constant(0))), size.Options{}, builtIn(t), "wait.p99 < 100ms")
	assert.Nil(t, levelOf(t, one, "system").PerSecond, "of no time there is no rate")
	var text bytes.Buffer
	require.NoError(t, one.WriteTable(&text, table.Options{}))
	assert.Contains(t, text.String(), "None: so few requests")
	assert.NotContains(t, text.String(), "--max-requests-inflight")
}

// Nothing waits with a seat less than the level needs if waiting is allowed.
func TestALooserGoalNeedsFewerSeats(t *testing.T) {
	r := traffic(1, time.Minute, person(poisson(50), exponential(0.1)))
	strict, loose := sized(t, r, size.Options{}, unshared(t), "wait.max == 0s"), sized(t, r, size.Options{}, unshared(t), "wait.p99 < 500ms")
	assert.Greater(t, levelOf(t, strict, "global-default").Need.Seats, levelOf(t, loose, "global-default").Need.Seats)
	assert.GreaterOrEqual(t, levelOf(t, loose, "global-default").Need.Seats, 5) // Little's law: 50/s * 0.1 s
	assert.InDelta(t, levelOf(t, strict, "global-default").Most, float64(levelOf(t, strict, "global-default").Need.Seats), 1)
}

// A level of few seats counts a list of ten seats as fewer, as servers do.
func TestAWideListOnASmallLevelIsSaid(t *testing.T) {
	lists := person(poisson(10), exponential(0.2))
	lists.verb, lists.seats = "list", 10
	out := sized(t, traffic(1, time.Minute, lists), size.Options{}, unshared(t), "wait.p99 < 1s")
	l := levelOf(t, out, "global-default")
	assert.InDelta(t, 10*10*0.2, l.Mean, 4)
	assert.Less(t, float64(l.Need.Seats), l.Mean)
	assert.Contains(t, strings.Join(out.Notes, "\n"), "The level global-default needs fewer seats than it uses without limits")
}

func TestARangeNeedsTime(t *testing.T) {
	out := sized(t, traffic(1, 110*time.Second, person(poisson(20), exponential(0.1))), size.Options{}, builtIn(t), "wait.p99 < 100ms")
	assert.Zero(t, out.Parts)
	assert.Equal(t, out.Need.Low, out.Need.High)
	assert.Contains(t, out.Notes[len(out.Notes)-1], "There is no range: the requests span 1m50s, and a range requires 2m0s.")
	paused := person(func(random *random, until float64) []float64 {
		return slices.DeleteFunc(poisson(20)(random, until), func(at float64) bool { return at > 60 && at < 100 })
	}, exponential(0.1))
	out = sized(t, traffic(1, 130*time.Second, paused), size.Options{}, builtIn(t), "wait.p99 < 100ms")
	assert.Equal(t, 3, out.Parts, "the third has no requests")
	assert.LessOrEqual(t, out.Need.Low, out.Need.Seats)
	assert.GreaterOrEqual(t, out.Need.High, out.Need.Seats)
	assert.Contains(t, out.Notes[len(out.Notes)-1], "3 parts of 32s")
}

// A part with a busier level needs more, and the others do not: the range says both.
func TestTheRangeShowsABusyPart(t *testing.T) {
	for when, from := range map[string]float64{"in the first part": 35, "in the last part": 135} {
		t.Run(when, func(t *testing.T) {
			quiet := person(poisson(20), exponential(0.1))
			busy := person(func(random *random, until float64) (at []float64) {
				for _, t := range poisson(60)(random, until) {
					if t > from && t < from+20 {
						at = append(at, t)
					}
				}
				return at
			}, exponential(0.1))
			out := sized(t, traffic(1, 160*time.Second, quiet, busy), size.Options{}, unshared(t), "wait.p99 < 100ms")
			need := levelOf(t, out, "global-default").Need
			assert.GreaterOrEqual(t, need.High, need.Low+4, "%+v", need) // 8 seats in use on average, and 2
		})
	}
}

// A flow schema without requests in three of the four parts has nothing to wait for there.
func TestAGoalMayBeAboutWhatIsOnlyInAPart(t *testing.T) {
	late := person(func(random *random, until float64) (at []float64) {
		for _, t := range poisson(30)(random, until) {
			if t > 140 {
				at = append(at, t)
			}
		}
		return at
	}, exponential(0.1))
	out := sized(t, traffic(1, 160*time.Second, robot(poisson(20), exponential(0.1)), late), size.Options{}, builtIn(t), "schema.global-default.wait.p99 < 100ms")
	assert.Equal(t, 4, out.Parts)
	assert.Nil(t, levelOf(t, out, "workload-low").Need, "no goal is about it")
	assert.Equal(t, 1, levelOf(t, out, "global-default").Need.Low)
}

// A level that lends most of its seats needs more than it uses, to have them when its requests come.
func TestALevelThatLendsNeedsMore(t *testing.T) {
	late := traffic(1, 60*time.Second, robot(poisson(5), exponential(0.1)), person(func(*random, float64) []float64 { return slices.Repeat([]float64{50}, 50) }, constant(0.1)))
	c, most, none := builtIn(t), int32(90), int32(0)
	for _, l := range c.PriorityLevels {
		if l.Name == "global-default" {
			l.Spec.Limited.LendablePercent, l.Spec.Limited.BorrowingLimitPercent = &most, &none
		}
	}
	out := sized(t, late, size.Options{}, c, "level.global-default.wait.max == 0s")
	assert.Equal(t, 50, levelOf(t, out, "global-default").Need.Seats)
	assert.Greater(t, out.Need.Seats, 50*245/20*5/4, "a nominal limit of 50 does not suffice")
}

// Seats of lists that a log lacks make the need too small.
func TestRequestsThatWereRejectedMakeEnoughUncertain(t *testing.T) {
	r := every(0.1)
	r[7].Rejected = "unknown"
	out := sized(t, r, size.Options{Have: 600, Replicas: 3}, unshared(t), "wait.p99 < 100ms")
	assert.Equal(t, size.Uncertain, out.Enough)
	assert.EqualValues(t, 1, out.Rejected)
	assert.Equal(t, 3, out.Replicas, "more than the requests are of")
}

func TestTheTableSaysWhatTheNumbersRestOn(t *testing.T) {
	out := size.Size{
		Basis: "a test", Goals: []string{"wait.p99 < 100ms", "rejected == 0"}, Replicas: 3, Requests: 1200, LeftOut: 3, Seconds: 40.4, Rejected: 2, Parts: 4,
		Need: size.Seats{Seats: 111, Low: 100, High: 130}, Fitted: size.Seats{Seats: 16, Low: 16, High: 16}, Have: new(120), Enough: size.Uncertain,
		Levels: []size.Level{
			{Name: "exempt", Exempt: true, Requests: 5, PerSecond: new(0.12), Mean: 0.26, Most: 2},
			{Name: "global-default", Requests: 400, PerSecond: new(9.96), Mean: 9.9, Most: 10, Need: &size.Seats{Seats: 10, Low: 9, High: 12}, Have: new(49), Shares: 20},
			{Name: "system", PerSecond: new(0.0), Have: new(74), Shares: 30},
		},
		Flags: &size.Flags{KubeAPIServer: []string{"--a=1", "--b=2"}, FlowControlAPIServer: []string{"--c=3"}}, Notes: []string{"A note."},
	}
	text := func() string {
		var text bytes.Buffer
		require.NoError(t, out.WriteTable(&text, table.Options{}))
		return text.String()
	}
	assert.Contains(t, text(), "One API server needs 111 (100 to 130) seats (there are 3). It has 120. Is that enough? Uncertain: that is within the range.\n")
	assert.Contains(t, text(), "1200 requests in 40 s. 3 more are left out, and need seats that are not in these numbers.\n")
	assert.Contains(t, text(), "global-default        10.0   9.9    10      10   9-12   49      20\n")
	out.Replicas, out.LeftOut, out.Have, out.Parts = 1, 0, new(130), 0
	assert.Contains(t, text(), "(there is one). It has 130. Is that enough? Uncertain: when the requests were recorded, 2 were rejected. The API server had another configuration or fewer seats, or the trace lacks what held them.\n")
	assert.Contains(t, text(), "requests in 40 s.\nGoals")
	assert.Contains(t, text(), "      10      -   49      20\n", "without parts there is no range")
	out.Enough, out.Have = size.No, new(99)
	assert.Contains(t, text(), " It has 99. Is that enough? No.\n")
	out.Have = nil
	assert.Contains(t, text(), "(there is one).\nWithout")
}
