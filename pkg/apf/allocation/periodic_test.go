package allocation

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

func TestSeatsAreDividedEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		start := time.Now()
		var divisions []time.Time
		clock.Periodically(ctx, utilclock.RealClock{}, Period, func() { divisions = append(divisions, time.Now()) })
		assert.Equal(t, []time.Time{start.Add(10 * time.Second), start.Add(20 * time.Second), start.Add(30 * time.Second)}, divisions)
	})
}
