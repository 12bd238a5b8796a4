// Package seats defines the units of flow control: the seat, the seat-second, and the
// virtual clock, which counts seat-seconds.
//
// A seat is a unit of the concurrency of the server. A request holds its initial
// seats while it executes, and its final seats for the additional latency after that.
// Its work is an area, seats times duration, counted in seat-nanoseconds, so that all
// sums are exact integers.
//
// The virtual clock R of a queue set grows forever, by up to one seat-nanosecond per
// seat and nanosecond. So Progress counts modulo 2^64, and two readings are compared by
// the sign of their difference, like TCP sequence numbers. This is correct if all
// readings in use at one time are within 2^63 seat-nanoseconds of each other.
//
// # Range
//
// Let M be MaxArea, 2^60 seat-nanoseconds: 1.15e9 seat-seconds, or 600 seats for 22 days.
// As long as the limit of a queue set times the longest execution is at most M, the order of
// requests is as with unlimited numbers. Beyond that, queues forget what they are behind or ahead
// of R by more than some M, so shares are less exact. This keeps all readings within 6 M of each
// other, less than 2^63 = 8 M: whenever R has advanced by M, queues are raised to R - M if they are
// behind, so S >= R - 2 M. What a queue is charged is cut at R + 2 M. The execution in progress and
// the next request add at most M each, so S plus work <= R + 4 M.
package seats

import (
	"math"
	"math/bits"
	"strconv"
	"time"
)

// Area is an amount of work: seats times duration, in seat-nanoseconds.
type Area int64

// MaxArea is the largest work of one request that counts, M of the package comment.
const MaxArea = Area(1) << 60

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

// String returns a in seat-seconds, with nine decimals.
func (a Area) String() string { return strconv.FormatFloat(a.SeatSeconds(), 'f', 9, 64) + "ss" }

// Over returns the time that seats need for the work a, rounded up; 0 without seats.
func (a Area) Over(seats int) time.Duration {
	if seats <= 0 || a <= 0 {
		return 0
	}
	return time.Duration((int64(a) + int64(seats) - 1) / int64(seats))
}

// Progress is a reading of the virtual clock, in seat-nanoseconds modulo 2^64.
type Progress uint64

// Add returns the reading that is a later than p.
func (p Progress) Add(a Area) Progress { return p + Progress(a) }

// Sub returns how much later p is than q.
func (p Progress) Sub(q Progress) Area { return Area(p - q) }

// Before reports whether p is earlier than q.
func (p Progress) Before(q Progress) bool { return int64(p-q) < 0 }

// SeatSeconds returns p in seat-seconds since it last wrapped around.
func (p Progress) SeatSeconds() float64 { return float64(p) / 1e9 }

// Advance returns by how much the virtual clock advances in d when queues share seats:
// d * seats / queues, at most MaxArea; 0 if any of the three is not positive.
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

// Work is the work of one request.
type Work struct {
	// Initial is the number of seats held while the request executes.
	Initial int
	// Final is the number of seats held during Latency.
	Final int
	// Latency is the additional latency: how long the final seats are held after the
	// response, without the client waiting.
	Latency time.Duration
}

// Normal returns w with all fields in range: at least one initial seat, and final
// seats only with a latency.
func (w Work) Normal() Work {
	w.Initial = min(max(w.Initial, 1), math.MaxInt32)
	w.Final = min(max(w.Final, 0), math.MaxInt32)
	if w.Latency <= 0 || w.Final == 0 {
		w.Final, w.Latency = 0, 0
	}
	return w
}

// Width returns the number of seats that must be free for the request to start: the
// maximum of both phases.
func (w Work) Width() int { return max(w.Initial, w.Final) }

// FinalArea returns the work during the additional latency.
func (w Work) FinalArea() Area { return AreaOf(w.Final, w.Latency) }

// ClampFinal returns w with at most limit final seats and a longer latency, so that
// the work is the same. If limit is not positive, it returns w.
func (w Work) ClampFinal(limit int) Work {
	if limit > 0 && w.Final > limit {
		w.Final, w.Latency = limit, w.FinalArea().Over(limit)
	}
	return w
}
