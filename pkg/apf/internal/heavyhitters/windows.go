package heavyhitters

import (
	"hash/maphash"
	"time"
)

const (
	quarter = 15 * time.Second
	// quarters is the number of quarter minutes of a minute.
	quarters = 4
	// longest is the number of minutes of the longest window.
	longest = 15
)

// Windows counts what the flows of one priority level use, see the package comment. It
// is not safe for concurrent use. Create one with NewWindows.
type Windows struct {
	seed    maphash.Seed
	current *summary      // of the current quarter minute
	end     time.Duration // of the current quarter minute
	index   index         // of current

	// The summary of period n is at n modulo the length.
	quarters [quarters + 1]summary // the current quarter, and the quarters of the last minute
	minutes  [longest]summary      // complete minutes
}

// NewWindows returns empty Windows.
func NewWindows() *Windows {
	w := &Windows{seed: maphash.MakeSeed()}
	for i := range w.quarters {
		w.quarters[i].reset(-1)
	}
	for i := range w.minutes {
		w.minutes[i].reset(-1)
	}
	w.start(0)
	return w
}

// Add adds seat-nanoseconds that a flow had used when a request of it ended. A time before the last
// call's counts as the last call's.
func (w *Windows) Add(ended time.Duration, f Flow, seatNanoseconds int64) {
	if seatNanoseconds <= 0 {
		return
	}
	w.advance(ended)
	key := maphash.String(w.seed, f.Schema)*31 ^ maphash.String(w.seed, f.Distinguisher)
	w.index.add(w.current, key, f.Schema, f.Distinguisher, seatNanoseconds)
}

// advance makes the quarter minute of now the current one.
func (w *Windows) advance(now time.Duration) {
	if now < w.end {
		return
	}
	number := int64(now / quarter)
	if minute := w.current.number / quarters; number/quarters != minute {
		w.closeMinute(minute)
	}
	w.start(number)
}

// start starts a quarter minute.
func (w *Windows) start(number int64) {
	w.current = &w.quarters[number%int64(len(w.quarters))]
	w.current.reset(number)
	w.end = time.Duration(number+1) * quarter
	w.index.reset()
}

// closeMinute merges the quarters of a minute.
func (w *Windows) closeMinute(number int64) {
	var m merger
	for i := range w.quarters {
		if s := &w.quarters[i]; s.number >= 0 && s.number/quarters == number {
			m.include(s, 1)
		}
	}
	minute := &w.minutes[number%longest]
	minute.reset(number)
	m.summarize(minute)
}

// Empty reports whether nothing was used in the longest window that ends now.
func (w *Windows) Empty(now time.Duration) bool {
	empty := true
	w.each(now, FifteenMinutes, func(s *summary, _ float64) { empty = empty && s.total == 0 })
	return empty
}

// each calls f with the summaries of the window that ends now, and with the part of each
// that lies in the window. The time of the last Add must not be after now.
func (w *Windows) each(now time.Duration, window Window, f func(s *summary, part float64)) {
	number := int64(now / quarter)
	oldest := number - quarters
	if window != OneMinute {
		oldest = number / quarters * quarters // what is before are minutes
	}
	for i := range w.quarters {
		if s := &w.quarters[i]; s.number >= oldest && s.number <= number && s.number >= 0 {
			f(s, partOf(s.number, number-quarters, now, quarter))
		}
	}
	if window == OneMinute {
		return
	}
	number /= quarters
	oldest = number - window.minutes()
	for i := range w.minutes {
		if s := &w.minutes[i]; s.number >= oldest && s.number < number && s.number >= 0 {
			f(s, partOf(s.number, oldest, now, quarters*quarter))
		}
	}
}

// partOf returns how much of a period lies in a window: all of it, unless it is the
// oldest.
func partOf(number, oldest int64, now, period time.Duration) float64 {
	if number > oldest {
		return 1
	}
	return 1 - float64(now%period)/float64(period)
}
