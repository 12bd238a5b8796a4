package allocation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const periods = 8

// Both engines run completely, behind flowcontrol.Interface. synctest gives
// them one virtual clock, so no part is replaced. They receive the same
// requests and divide the seats at the same times.
func TestLimitsUnderDemandAreThoseOfPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	divisions, equal, borrowed := 0, 0, 0
	for round := range 60 {
		s := randomSite(random, fmt.Sprint("round-", round))
		traffic := randomTraffic(random, s, false)
		synctest.Test(t, func(t *testing.T) {
			peer, ours := start(t, s)
			play(t, []member{peer, ours}, traffic, func(int) {
				want, got := peer.gather(t), ours.gather(t)
				sameDemand(t, s, want, got)
				divisions++
				if !sameLimits(t, s, want, got) {
					return
				}
				equal++
				for _, of := range got {
					if of[currentLimit] > of[nominal] {
						borrowed++
					}
				}
			})
		})
	}
	assert.Greater(t, equal, divisions*9/10)
	assert.Greater(t, borrowed, 500)
}

func TestLimitsAtRestAreThoseOfPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 22))
	equal := 0
	for round := range 100 {
		s := randomSite(random, fmt.Sprint("rest-", round))
		s.total = 1 + random.IntN(1500)
		synctest.Test(t, func(t *testing.T) {
			peer, ours := start(t, s)
			if sameLimits(t, s, peer.gather(t), ours.gather(t)) {
				equal++
			}
		})
	}
	assert.Greater(t, equal, 60)
}

// Issues 124125, 124736: the seats that the exempt level uses are subtracted
// first. The library does so only if the remaining seats are too few for a fair
// fraction; then the limits are equal. Otherwise it also distributes the seats
// that the exempt level uses.
func TestWhatTheExemptLevelUsesIsTakenOffWhereThePeerForgetsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	heeded, forgotten := 0, 0
	for round := range 30 {
		s := randomSite(random, fmt.Sprint("exempt-", round))
		s.levels[0].Share = allocation.Share{Shares: random.Int32N(100), LendablePercent: random.Int32N(101)}
		traffic := randomTraffic(random, s, true)
		synctest.Test(t, func(t *testing.T) {
			peer, ours := start(t, s)
			play(t, []member{peer, ours}, traffic, func(int) {
				want, got := peer.gather(t), ours.gather(t)
				sameDemand(t, s, want, got)
				levels := claims(s, got)
				require.Equal(t, want[exempt][currentLimit], got[exempt][currentLimit])
				expected := limits(s, got)
				if allocation.Current(s.total, levels).FairFraction == 0 {
					heeded++
				} else {
					require.LessOrEqual(t, sum(expected), s.total+len(s.levels))
					levels[0].Lower, levels[0].HighWatermark = 0, 0
					expected = allocation.Current(s.total, levels).Current
					forgotten++
				}
				theirs := limits(s, want)
				letIn(theirs, claims(s, want))
				if keepsWithinBounds(s, theirs[1:]) {
					require.Equal(t, expected[1:], theirs[1:], "%+v of %d", levels, s.total)
				}
			})
		})
	}
	assert.Greater(t, heeded, 20)
	assert.Greater(t, forgotten, 100)
}

// claims returns the inputs of the division of seats, read from the metrics.
func claims(s site, f figures) []allocation.Level {
	levels := make([]allocation.Level, len(s.levels))
	for i, l := range s.levels {
		of := f[l.name]
		levels[i] = allocation.Level{
			Limits:        allocation.Limits{Nominal: int(of[nominal]), Lower: int(of[lower]), Upper: int(of[upper])},
			Exempt:        l.name == exempt,
			HighWatermark: int(of[highest]),
			Smoothed:      of[smoothed],
		}
	}
	return levels
}

// limits returns the current limits in the order of the site's levels.
func limits(s site, f figures) []int {
	current := make([]int, len(s.levels))
	for i, l := range s.levels {
		current[i] = int(f[l.name][currentLimit])
	}
	return current
}

// letIn corrects the library's limits: at a limit of zero it admits one request
// (issue 134196).
func letIn(limits []int, levels []allocation.Level) {
	for i, l := range levels {
		if !l.Exempt {
			limits[i] = max(limits[i], min(1, l.Nominal))
		}
	}
}

func sum(seats []int) (all int) {
	for _, s := range seats {
		all += s
	}
	return all
}

// sameDemand requires that both engines recorded the same demand.
func sameDemand(t *testing.T, s site, want, got figures) {
	t.Helper()
	for _, l := range s.levels {
		require.Equal(t, want[l.name][highest], got[l.name][highest], "%s of %s", highest, l.name)
		for _, name := range []string{average, deviation, smoothed} {
			require.InDelta(t, want[l.name][name], got[l.name][name], 1e-4, "%s of %s", name, l.name)
		}
	}
}

// sameLimits requires that both engines have the same limits, and reports whether the current ones
// could be compared. The library's upper limit may exceed the total (issue 129086).
func sameLimits(t *testing.T, s site, want, got figures) bool {
	t.Helper()
	for _, l := range s.levels {
		require.Equal(t, want[l.name][nominal], got[l.name][nominal], "nominal limit of %+v", l)
		require.Equal(t, want[l.name][lower], got[l.name][lower], "lower limit of %+v", l)
		require.Equal(t, min(float64(s.total), want[l.name][upper]), got[l.name][upper], "upper limit of %+v", l)
	}
	theirs := limits(s, want)
	letIn(theirs, claims(s, want))
	if !keepsWithinBounds(s, theirs) {
		return false
	}
	require.Equal(t, theirs, limits(s, got), "current limits of %+v", s)
	return true
}

// keepsWithinBounds reports whether the library's current limits must equal
// this engine's. No limit may reach the server's total, which bounds only this
// engine's limits (issue 129086), and the sum must be within one seat per level
// of it.
func keepsWithinBounds(s site, limits []int) bool {
	return slices.Max(limits) < s.total && sum(limits) <= s.total+len(s.levels)
}
