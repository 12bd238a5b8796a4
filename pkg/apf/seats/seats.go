// Package seats holds the units of flow control: the seat, the seat-second and
// the virtual clock that is counted in seat-seconds.
//
// A seat is the right to one share of the server's concurrency. A request
// holds its initial seats from the start of its execution to the end, and its
// final seats for the additional latency after that. What it consumes is an
// area, seats times duration; here it is counted in seat-nanoseconds, so that
// all sums are exact integers.
//
// The virtual clock R of a set of queues only ever grows, at up to one
// seat-nanosecond per seat and nanosecond, so no fixed number of bits lasts
// for ever. Progress therefore counts modulo 2^64, and two readings are
// compared by the sign of their difference, as TCP compares sequence numbers.
// That is right as long as the readings alive at one time lie within
// 2^63 seat-nanoseconds of each other: 9.2e9 seat-seconds, or 600 seats for
// half a year. Readings that are alive belong to requests that wait (at most a
// minute) or to queues with such requests, so they lie far closer.
package seats

import (
	"math"
	"math/bits"
	"strconv"
	"time"
)

// Area is an amount of work: seats times duration, in seat-nanoseconds.
type Area int64

// MaxArea bounds the work of a single request (26,000 seats for a day), so
// that no estimate, however wild, comes near the range of the virtual clock.
const MaxArea = Area(1) << 61

// AreaOf returns seats times d, at least -MaxArea and at most MaxArea.
func AreaOf(seats int, d time.Duration) Area {
	negative := (seats < 0) != (d < 0)
	hi, lo := bits.Mul64(magnitude(int64(seats)), magnitude(int64(d)))
	area := MaxArea
	if hi == 0 && lo < uint64(MaxArea) {
		area = Area(lo)
	}
	if negative {
		return -area
	}
	return area
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// SeatSeconds returns a in seat-seconds.
func (a Area) SeatSeconds() float64 { return float64(a) / 1e9 }

// String shows a in seat-seconds, to the nanosecond.
func (a Area) String() string { return strconv.FormatFloat(a.SeatSeconds(), 'f', 9, 64) + "ss" }

// Over returns how long seats take to make up a, rounded up. It is 0 without
// seats.
func (a Area) Over(seats int) time.Duration {
	if seats <= 0 || a <= 0 {
		return 0
	}
	return time.Duration((int64(a) + int64(seats) - 1) / int64(seats))
}

// Progress is a reading of the virtual clock, in seat-nanoseconds modulo 2^64.
type Progress uint64

// Add returns the reading a later than p.
func (p Progress) Add(a Area) Progress { return p + Progress(a) }

// Sub returns how much later p is than q.
func (p Progress) Sub(q Progress) Area { return Area(p - q) }

// Before reports whether p is earlier than q.
func (p Progress) Before(q Progress) bool { return int64(p-q) < 0 }

// SeatSeconds returns p in seat-seconds since it last passed zero.
func (p Progress) SeatSeconds() float64 { return float64(p) / 1e9 }

// Advance returns how far the virtual clock goes in d when seats are at work
// for queues: d * seats / queues, at most MaxArea. It is 0 when any of the
// three is not positive.
func Advance(d time.Duration, seats, queues int) Area {
	if d <= 0 || seats <= 0 || queues <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), uint64(seats))
	if hi >= uint64(queues) {
		return MaxArea
	}
	q, _ := bits.Div64(hi, lo, uint64(queues))
	return Area(min(q, uint64(MaxArea)))
}

// Work is what one request costs.
type Work struct {
	// Initial is the number of seats held while the request executes.
	Initial int
	// Final is the number of seats held during Latency, after the response.
	Final int
	// Latency is how long the final seats are held. The client does not wait
	// for it.
	Latency time.Duration
}

// Normal returns w with every field in range: at least one initial seat, and
// final seats only together with a latency.
func (w Work) Normal() Work {
	w.Initial = min(max(w.Initial, 1), math.MaxInt32)
	w.Final = min(max(w.Final, 0), math.MaxInt32)
	if w.Latency <= 0 || w.Final == 0 {
		w.Final, w.Latency = 0, 0
	}
	return w
}

// Width is the number of seats that must be free for the request to start:
// the larger of the two phases.
func (w Work) Width() int { return max(w.Initial, w.Final) }

// FinalArea is the work of the additional latency.
func (w Work) FinalArea() Area { return AreaOf(w.Final, w.Latency) }

// ClampFinal returns w with at most limit final seats, held for so much longer
// that the work stays the same. A limit that is not positive leaves w alone.
func (w Work) ClampFinal(limit int) Work {
	if limit > 0 && w.Final > limit {
		w.Final, w.Latency = limit, w.FinalArea().Over(limit)
	}
	return w
}
