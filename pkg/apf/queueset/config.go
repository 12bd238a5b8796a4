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
	// Queues is the number of queues.
	Queues int
	// HandSize is the number of queues that a flow may use.
	HandSize int
	// QueueLengthLimit is the number of requests that may wait in one queue.
	QueueLengthLimit int
}

// Validate returns an error that says what is wrong with c, or nil.
func (c Config) Validate() error {
	_, err := c.dealer()
	return err
}

func (c Config) dealer() (flow.Dealer, error) {
	switch {
	case c.Discipline == Unset || c.Discipline > Queue:
		return flow.Dealer{}, fmt.Errorf("discipline must be Exempt, Reject or Queue, not %v", c.Discipline)
	case c.Discipline != Queue:
		return flow.Dealer{}, nil
	case c.QueueLengthLimit < 1:
		return flow.Dealer{}, fmt.Errorf("queue length limit %d must be positive", c.QueueLengthLimit)
	}
	dealer, err := flow.NewDealer(c.Queues, c.HandSize)
	if err != nil {
		return flow.Dealer{}, fmt.Errorf("%d queues with hands of %d: %w", c.Queues, c.HandSize, err)
	}
	return dealer, nil
}

// WaitingCapacity returns how many requests may wait in all queues together.
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
