package demand

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSmooth(t *testing.T) {
	for name, c := range map[string]struct {
		previous float64
		period   Period
		want     float64
	}{
		"a rise is believed at once": {
			previous: 3, period: Period{Duration: time.Second, Average: 10, Deviation: 2}, want: 12,
		},
		"a fall is forgotten slowly": {
			previous: 100, period: Period{Duration: time.Second, Average: 10}, want: 0.977*100 + 0.023*10,
		},
		"a period in which no time passed changes nothing (120032, 120090)": {
			previous: 42, period: Period{HighWatermark: 900}, want: 42,
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.InDelta(t, c.want, Smooth(c.previous, c.period), 1e-12)
		})
	}
}

func TestHalfLifeIsFiveMinutes(t *testing.T) {
	smoothed := 1.0
	for range 30 {
		smoothed = Smooth(smoothed, Period{Duration: 10 * time.Second})
	}
	assert.InDelta(t, 0.5, smoothed, 0.01)
	assert.InDelta(t, 30, math.Ln2/-math.Log(decay), 0.5)
}
