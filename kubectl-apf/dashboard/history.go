package dashboard

import (
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
)

// Reading is what the priority levels had at one time, all replicas together.
type Reading struct {
	// Number counts the readings, from 1.
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	Levels []Point   `json:"levels"`
}

// Point is what one priority level had at one time. Unknown figures are null.
type Point struct {
	Level             string   `json:"level"`
	Seats             *int     `json:"seats"`
	Limit             *int     `json:"limit"`
	Nominal           *int     `json:"nominal"`
	Waiting           *int     `json:"waiting"`
	RejectedPerSecond *float64 `json:"rejectedPerSecond"`
}

// history are the readings of the last time, the oldest first.
type history struct {
	window   time.Duration
	readings []Reading
	number   int // of the last reading
}

// add adds a reading, and forgets older ones than the window.
func (h *history) add(at time.Time, levels *top.Levels) {
	h.number++
	reading := Reading{Number: h.number, At: at, Levels: make([]Point, 0, len(levels.Levels))}
	for i := range levels.Levels {
		level := &levels.Levels[i]
		reading.Levels = append(reading.Levels, Point{
			Level: level.Name, Seats: level.SeatsInUse, Limit: level.CurrentLimit, Nominal: level.NominalLimit,
			Waiting: level.Waiting, RejectedPerSecond: level.RejectedPerSecond,
		})
	}
	h.readings = slices.DeleteFunc(append(h.readings, reading), func(r Reading) bool { return at.Sub(r.At) > h.window })
}

// after returns the readings with a number above the given one.
func (h *history) after(number int) []Reading {
	at := slices.IndexFunc(h.readings, func(r Reading) bool { return r.Number > number })
	if at < 0 {
		return []Reading{}
	}
	return slices.Clone(h.readings[at:])
}
