package queueset

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Discipline says what happens to a request that finds no seat.
type Discipline uint8

const (
	// Exempt levels have a seat for everybody.
	Exempt Discipline = iota
	// Reject refuses it.
	Reject
	// Queue lets it wait.
	Queue
)

// String returns the name of the discipline.
func (d Discipline) String() string {
	switch d {
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

// Config is the shape of a Set. The last three fields count only for the
// discipline Queue.
type Config struct {
	Discipline Discipline
	// Queues is the number of queues.
	Queues int
	// HandSize is the number of queues that a flow may use.
	HandSize int
	// QueueLengthLimit is the number of requests that may wait in one queue
	// when no seat is free.
	QueueLengthLimit int
}

// Validate says what is wrong with c, if anything.
func (c Config) Validate() error {
	_, err := c.dealer()
	return err
}

func (c Config) dealer() (flow.Dealer, error) {
	switch {
	case c.Discipline > Queue:
		return flow.Dealer{}, fmt.Errorf("discipline %d must be Exempt, Reject or Queue", c.Discipline)
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

// Limits are the numbers of seats that change while a Set lives.
type Limits struct {
	// Seats is the present limit: how many seats may be in use.
	Seats int
	// Nominal is what the limit would be without borrowing and lending;
	// demand is shown relative to it.
	Nominal int
	// Denominator is what use is shown relative to: Seats, or some positive
	// substitute if that is zero.
	Denominator int
}
