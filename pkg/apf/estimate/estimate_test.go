package estimate

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Issues 105804, 105930 and 106085: the cost of watchers was charged for writes
// with hardly any watchers, and it was lost or extended when it was clamped.
func TestWritePaysForItsWatchers(t *testing.T) {
	for _, test := range []struct {
		name               string
		watchers, maxWidth int
		want               seats.Work
	}{
		{"without watchers it is one seat", 0, 0, seats.Work{Initial: 1}},
		{"nine watchers are neglected", 9, 0, seats.Work{Initial: 1}},
		{"ten take a seat for 5 ms", 10, 0, seats.Work{Initial: 1, Final: 1, Latency: 5 * time.Millisecond}},
		{"eleven take two", 11, 0, seats.Work{Initial: 1, Final: 2, Latency: 5 * time.Millisecond}},
		{"a hundred take ten", 100, 0, seats.Work{Initial: 1, Final: 10, Latency: 5 * time.Millisecond}},
		{"two hundred take ten for twice as long", 200, 0, seats.Work{Initial: 1, Final: 10, Latency: 10 * time.Millisecond}},
		{"a narrow level stretches it further", 200, 2, seats.Work{Initial: 1, Final: 2, Latency: 50 * time.Millisecond}},
		{"a wide level does not widen it", 200, 100, seats.Work{Initial: 1, Final: 10, Latency: 10 * time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, Write(test.watchers, test.maxWidth))
		})
	}
}

func TestNoWorkOfWatchersIsLost(t *testing.T) {
	const widest = 10 // seats, on any level
	for watchers := 10; watchers < 3000; watchers += 7 {
		area := seats.AreaOf((watchers+9)/10, 5*time.Millisecond)
		for maxWidth := range 12 {
			work := Write(watchers, maxWidth)
			assert.LessOrEqual(t, work.Width(), min(cmp.Or(maxWidth, widest), widest))
			// Durations are whole nanoseconds, rounded up.
			assert.InDelta(t, int64(area), int64(work.FinalArea()), widest)
			assert.GreaterOrEqual(t, work.FinalArea(), area)
		}
	}
}

func TestMostIsTheBoundOfTheLevel(t *testing.T) {
	for _, test := range []struct{ maxWidth, byCount, bySize int }{{0, 10, 100}, {4, 4, 4}, {11, 10, 11}, {101, 10, 100}} {
		assert.Equal(t, seats.Work{Initial: test.byCount}, ByCount().Most(test.maxWidth))
		assert.Equal(t, seats.Work{Initial: test.bySize}, BySize().Most(test.maxWidth))
	}
}
