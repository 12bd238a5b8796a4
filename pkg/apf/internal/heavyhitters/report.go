package heavyhitters

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Window is a length of time that ends now.
type Window int

// The windows.
const (
	OneMinute Window = iota
	FiveMinutes
	FifteenMinutes
	WindowCount // the number of windows
)

// minutes returns the length of w.
func (w Window) minutes() int64 { return [WindowCount]int64{1, 5, longest}[w] }

// Usage is what a flow used in a window, in seat-seconds: at most SeatSeconds, and at
// least SeatSeconds - Error.
type Usage struct{ SeatSeconds, Error float64 }

// Use is what one flow used.
type Use struct {
	Flow
	Windows [WindowCount]Usage
}

// Report returns what the heaviest flows of each window used in all windows, up to
// Counters flows for each window. The flows that used most in the shortest window come
// first.
func (w *Windows) Report(now time.Duration) []Use {
	w.advance(now)
	var windows [WindowCount]merger
	heavy := map[uint64]Flow{}
	for i := range windows {
		m := &windows[i]
		w.each(now, Window(i), m.include)
		var kept summary
		m.summarize(&kept)
		for j := range kept.counters {
			key := kept.counters[j].key
			heavy[key] = m.flows[key].Flow
		}
	}
	uses := make([]Use, 0, len(heavy))
	for key, f := range heavy {
		use := Use{Flow: f}
		for i := range windows {
			use.Windows[i] = windows[i].usage(key)
		}
		uses = append(uses, use)
	}
	slices.SortFunc(uses, compareUses)
	return uses
}

// compareUses compares by usage, most first, and then by name.
func compareUses(a, b Use) int {
	for i := range a.Windows {
		if order := cmp.Compare(b.Windows[i].SeatSeconds, a.Windows[i].SeatSeconds); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Distinguisher, b.Distinguisher))
}

func (m *merger) usage(key uint64) Usage {
	sum, excess := m.floor, m.floor
	if f := m.flows[key]; f != nil {
		sum += f.sum
		excess += f.excess
	}
	return Usage{seatSeconds(sum), seatSeconds(excess)}
}

// seatSeconds converts seat-nanoseconds, to the microsecond.
func seatSeconds(seatNanoseconds float64) float64 {
	return math.Round(seatNanoseconds/1e3) / 1e6
}

// Heaviest returns which part of the seat-seconds of the last minute the heaviest flow
// used, from 0 to 1; 0 if there are none. The error is at most 0.01.
func (w *Windows) Heaviest(now time.Duration) float64 {
	w.advance(now)
	var m merger
	w.each(now, OneMinute, m.include)
	most := 0.0
	for _, f := range m.flows {
		most = max(most, f.sum)
	}
	if m.total <= 0 {
		return 0
	}
	return min(1, (m.floor+most)/m.total)
}
