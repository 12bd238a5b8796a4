package queueset

import (
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	// averaged is how many requests an average is of.
	averaged = 64
	// assumed is how many of these a new flow has, with the average of its level.
	assumed = 4
)

// executions says what requests of a level or a flow took that ended while the Set was closed, in
// nanoseconds and seat-nanoseconds: the average, and for the time the average distance from it.
type executions struct{ seen, time, distance, work float64 }

func (e *executions) observe(d time.Duration, work seats.Area) {
	e.seen = min(e.seen+1, averaged)
	e.distance += (math.Abs(float64(d)-e.time) - e.distance) / e.seen
	e.time += (float64(d) - e.time) / e.seen
	e.work += (float64(work) - e.work) / e.seen
}

// longest returns how long few requests execute for longer, as timers of networks do (RFC 6298).
func (e *executions) longest() time.Duration { return time.Duration(e.time + 2*e.distance) }

// ofNewFlow returns what is expected of a flow that has not been seen, by the executions of its level.
func (e executions) ofNewFlow() executions {
	e.seen = min(e.seen, assumed)
	return e
}
