package clock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

func TestMissedPeriodsAreNotMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 89*time.Second)
		defer cancel()
		calls := 0
		clock.Periodically(ctx, utilclock.RealClock{}, 10*time.Second, func() {
			calls++
			<-time.After(45 * time.Second)
		})
		// One call is at 10 s. The other follows at once when that one ends, at 55 s.
		assert.Equal(t, 2, calls)
	})
}
