package total

import (
	"errors"
	"fmt"
	"math"
)

// Signal is a kind of measurement of the machine.
type Signal int

// The signals, see the package comment.
const (
	SchedulingLatency Signal = iota // seconds
	Memory                          // part of the limit
	Throttling                      // part of the periods
	SignalCount                     // how many there are
)

// String returns the name of the signal in metrics and logs.
func (s Signal) String() string {
	switch s {
	case SchedulingLatency:
		return "scheduling-latency"
	case Memory:
		return "memory"
	case Throttling:
		return "throttling"
	default:
		return fmt.Sprintf("Signal(%d)", int(s))
	}
}

// highest returns the largest value that is plausible: an hour, ten times the limit (a
// limit may be set below the usage), all periods.
func (s Signal) highest() float64 {
	switch s {
	case SchedulingLatency:
		return 3600
	case Memory:
		return 10
	default:
		return 1
	}
}

// ErrQuiet means that too little happened since the last sample to measure a signal.
var ErrQuiet = errors.New("too little happened since the last sample")

// Reading is the value of one signal. Err is why it is unknown, or nil.
type Reading struct {
	Value float64
	Err   error
}

// Sample has a Reading of each Signal.
type Sample [SignalCount]Reading

// Value returns the value of a signal. It returns an error if the signal is unknown or
// its value is impossible: negative, too large, or not a number.
func (s *Sample) Value(signal Signal) (float64, error) {
	reading := s[signal]
	if reading.Err != nil {
		return 0, reading.Err
	}
	if math.IsNaN(reading.Value) || reading.Value < 0 || reading.Value > signal.highest() {
		return 0, fmt.Errorf("%s is %v: must be between 0 and %v", signal, reading.Value, signal.highest())
	}
	return reading.Value, nil
}
