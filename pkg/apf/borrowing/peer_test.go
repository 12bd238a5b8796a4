package borrowing_test

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

// Both engines run whole, behind flowcontrol.Interface: synctest gives them one
// virtual clock, so nothing of either has to be replaced. They are sent the same
// requests and divide the seats at the same moments.
func TestLimitsUnderDemandAreThoseOfPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	divisions, equal, borrowed := 0, 0, 0
	for round := range 60 {
		s := randomSite(random, fmt.Sprint("round-", round))
		traffic := randomTraffic(random, s, false)
		synctest.Test(t, func(t *testing.T) {
			peer, ours := start(t, s)
			play(t, []member{peer, ours}, traffic, func(period int) {
				want, got := peer.gather(t), ours.gather(t)
				sameDemand(t, s, want, got)
				divisions++
				theirs := limits(s, want)
				letIn(theirs, claims(s, want))
				if !keepsWithinBounds(s, theirs) {
					return
				}
				equal++
				require.Equal(t, theirs, limits(s, got), "current limits after period %d of round %d: %+v", period, round, s)
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

// 124125, 124736: what the exempt level uses is taken off the top. The library
// heeds that where the seats left are too few for a fair fraction, and there the
// limits are the same; otherwise it shares out what the exempt level has as well.
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

// claims are what the division of seats goes by, read from the metrics.
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

// limits are the current limits in the order of the site's levels.
func limits(s site, f figures) []int {
	current := make([]int, len(s.levels))
	for i, l := range s.levels {
		current[i] = int(f[l.name][currentLimit])
	}
	return current
}

// letIn makes the library's limits what they mean: at a limit of zero it lets one
// request in (134196). Where ours has seats for lower limits only, zero is zero.
func letIn(limits []int, levels []allocation.Level) {
	rest := 0
	for _, l := range levels {
		if l.Exempt {
			rest += l.Nominal - max(l.Lower, l.HighWatermark)
		} else {
			rest += l.Nominal - l.Lower
		}
	}
	for i, l := range levels {
		if rest > 0 && !l.Exempt {
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

// sameDemand demands that both engines saw the same demand.
func sameDemand(t *testing.T, s site, want, got figures) {
	t.Helper()
	for _, l := range s.levels {
		require.Equal(t, want[l.name][highest], got[l.name][highest], "%s of %s", highest, l.name)
		for _, name := range []string{average, deviation, smoothed} {
			require.InDelta(t, want[l.name][name], got[l.name][name], 1e-4, "%s of %s", name, l.name)
		}
	}
}

// keepsWithinBounds reports whether the library's current limits are such that
// ours must be the same: none as large as the server's total, which bounds ours
// alone (129086), and the sum within one seat per level of it.
func keepsWithinBounds(s site, limits []int) bool {
	return slices.Max(limits) < s.total && sum(limits) <= s.total+len(s.levels)
}
