package dashboard

import (
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
)

// Reading is what the priority levels had at one time, all replicas together.
type Reading struct {
	// Number counts the readings, from 1.
	Number int         `json:"number"`
	At     time.Time   `json:"at"`
	Levels []top.Level `json:"levels"`
}

// history are the readings of the last time, the oldest first.
type history struct {
	window   time.Duration
	readings []Reading
	number   int // of the last sample
}

// add adds a reading, and forgets older ones than the window.
func (h *history) add(at time.Time, levels *top.Levels) {
	h.number++
	reading := Reading{Number: h.number, At: at, Levels: levels.Levels}
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
