package allocation

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"
)

type counter struct{ calls []time.Time }

func (c *counter) divide() { c.calls = append(c.calls, time.Now()) }

func TestSeatsAreDividedEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		start := time.Now()
		var divisions counter
		Periodically(ctx, clock.RealClock{}, Period, divisions.divide)
		assert.Equal(t, []time.Time{start.Add(10 * time.Second), start.Add(20 * time.Second), start.Add(30 * time.Second)}, divisions.calls)
	})
}

type slow struct{ calls int }

func (s *slow) divide() {
	s.calls++
	<-time.After(45 * time.Second)
}

func TestMissedPeriodsAreNotMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 89*time.Second)
		defer cancel()
		var divisions slow
		Periodically(ctx, clock.RealClock{}, Period, divisions.divide)
		// One call is at 10 s. The other follows at once when that one ends, at 55 s.
		assert.Equal(t, 2, divisions.calls)
	})
}
