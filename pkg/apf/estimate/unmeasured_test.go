package estimate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestUnmeasuredSeatsAreWhatTheFormulaHasMore(t *testing.T) {
	for _, test := range []struct {
		name         string
		prior, bytes int64
		maxWidth     int
		seats        int64
		formula      int
	}{
		{"ten seats by the formula, one by what was learned", megabyte, kilobyte, 0, 9, 10},
		{"a list is charged at most 100 seats", 1000 * megabyte, 2 * megabyte, 0, 80, 100},
		{"a level bounds what it is charged, not what it may take", 10 * megabyte, kilobyte, 15, 99, 15},
		{"lists that took more than the formula says are measured", megabyte, 5 * megabyte, 0, 0, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := BySize().Unmeasured(Cost{Prior: test.prior, Bytes: test.bytes}, test.maxWidth)
			assert.Equal(t, test.seats, u.Seats)
			assert.Equal(t, test.formula, u.Formula.Initial)
		})
	}
}

// Whatever executes takes, by the formula, at most twice the seats of the server: what is charged, and
// as much again. A list that executes alone may take more.
func TestUnmeasuredListsAreBoundedByTheSeatsOfTheServer(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 11))
	l, present, rejected := NewHistory(), []Unmeasured{}, 0
	sum := func() (seats int64) {
		for _, u := range present {
			seats += u.Seats
		}
		return seats
	}
	for range 20_000 {
		if i := random.IntN(40); i < len(present) {
			l.Settle(present[i])
			present = append(present[:i], present[i+1:]...)
		}
		u, before := Unmeasured{Seats: 1 + random.Int64N(99)}, sum()
		if l.Admit(u, 600) {
			present = append(present, u)
			require.True(t, before == 0 || before+u.Seats <= 600)
			continue
		}
		rejected++
		require.Greater(t, before+u.Seats, int64(600), "there was room")
	}
	assert.Positive(t, rejected)
	assert.True(t, NewHistory().Admit(Unmeasured{Seats: 99}, 8), "on a server that is too small, one at a time")
}
