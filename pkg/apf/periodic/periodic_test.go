package periodic_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

func TestMissedPeriodsAreNotMadeUpFor(t *testing.T) {
	for took, want := range map[time.Duration][]time.Duration{
		time.Second:      {10 * time.Second, 20 * time.Second, 30 * time.Second, 40 * time.Second, 50 * time.Second, 60 * time.Second},
		45 * time.Second: {10 * time.Second, 55 * time.Second}, // at once when the first one ends
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 69*time.Second)
			defer cancel()
			start := time.Now()
			var calls []time.Duration
			periodic.Run(ctx, utilclock.RealClock{}, 10*time.Second, func() {
				calls = append(calls, time.Since(start))
				<-time.After(took)
			})
			assert.Equal(t, want, calls)
		})
	}
}
