package queueset

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// Discipline says what happens to a request that finds no free seat.
type Discipline uint8

const (
	// Unset is the zero value. It is invalid, so that no Set is created by
	// omission.
	Unset Discipline = iota
	// Exempt means that seats are unlimited.
	Exempt
	// Reject means that the request is rejected.
	Reject
	// Queue means that the request waits in a queue.
	Queue
)

// String returns the name of the discipline.
func (d Discipline) String() string {
	switch d {
	case Unset:
		return "Unset"
	case Exempt:
		return "Exempt"
	case Reject:
		return "Reject"
	case Queue:
		return "Queue"
	default:
		return fmt.Sprintf("Discipline(%d)", uint8(d))
	}
}

// startKind returns the kind of a request that starts at once.
func (d Discipline) startKind() stats.StartKind {
	switch d {
	case Exempt:
		return stats.Ungoverned
	case Reject:
		return stats.Unqueued
	default:
		return stats.Queued
	}
}

// Config is the configuration of a Set. The fields after Discipline count only for the
// discipline Queue.
type Config struct {
	Discipline Discipline
	// Queues times QueueLengthLimit is the number of requests that may wait.
	Queues int
	// HandSize times QueueLengthLimit is the number of requests of one flow that may wait.
	HandSize         int
	QueueLengthLimit int
}

// Validate returns an error that says what is wrong with c, or nil.
func (c Config) Validate() error {
	switch {
	case c.Discipline == Unset || c.Discipline > Queue:
		return fmt.Errorf("discipline must be Exempt, Reject or Queue, not %v", c.Discipline)
	case c.Discipline != Queue:
		return nil
	case c.QueueLengthLimit < 1:
		return fmt.Errorf("queue length limit %d must be positive", c.QueueLengthLimit)
	}
	if _, err := flow.NewDealer(c.Queues, c.HandSize); err != nil {
		return fmt.Errorf("%d queues with hands of %d: %w", c.Queues, c.HandSize, err)
	}
	return nil
}

// queueOf returns the index of the queue that a flow is shown in: the first one of its hand.
func (c Config) queueOf(hash flow.Hash) int {
	if c.Discipline != Queue {
		return noQueue
	}
	return int(uint64(hash) % uint64(c.Queues))
}

// WaitingCapacity returns how many requests may wait.
func (c Config) WaitingCapacity() int {
	if c.Discipline != Queue {
		return 0
	}
	return c.Queues * c.QueueLengthLimit
}

// seats returns the number of seats under the limits.
func (c Config) seats(limits Limits) int {
	if c.Discipline == Exempt {
		return exemptSeats
	}
	return max(limits.Seats, 0)
}

// exemptSeats is the limit of an exempt level: more than requests can hold.
const exemptSeats = 1 << 48

// Limits are the numbers of seats that change while a Set is in use.
type Limits struct {
	// Seats is the current limit: how many seats may be in use.
	Seats int
	// Denominator is what requests, seats and demand are shown as a share of: Seats,
	// or a positive substitute if that is zero.
	Denominator int
}
