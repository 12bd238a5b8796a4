package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// regimeOf returns the regime with this name.
func regimeOf(t *testing.T, name string) regime {
	t.Helper()
	for _, r := range shortages()[0].regimes() {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no regime %q", name)
	return regime{}
}

// after returns the seats after some seconds that are alike.
func (r regime) after(seconds int, seen reading) float64 {
	seats := float64(r.static)
	for range seconds {
		seats = r.govern(seats, seen)
	}
	return seats
}

func TestOneSignalAloneMovesTheSeats(t *testing.T) {
	short := reading{waiting: 1}
	short.pressure[total.Memory] = 1.1
	assert.InDelta(t, 128, regimeOf(t, "memory alone").after(9, short), 0, "a step takes ten seconds")
	assert.Less(t, regimeOf(t, "memory alone").after(10, short), 128.0)
	assert.InDelta(t, 32, regimeOf(t, "memory alone").after(1000, short), 0, "the least of the static totals")
	assert.InDelta(t, 256, regimeOf(t, "scheduling latency alone").after(1000, short), 0, "which does not know of memory, and requests wait")
	short.waiting = 0
	assert.InDelta(t, 128, regimeOf(t, "scheduling latency alone").after(1000, short), 0)
}

func TestLimitsByLatencyStayWithoutLatencies(t *testing.T) {
	for _, name := range []string{"Gradient2", "Vegas"} {
		r := regimeOf(t, name)
		assert.InDelta(t, 128, r.after(100, reading{}), 0, name)
		r.after(10, reading{latency: 0.01})
		assert.Less(t, r.after(60, reading{latency: 10}), 128.0, name)
	}
}
