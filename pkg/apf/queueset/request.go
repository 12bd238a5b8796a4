package queueset

import (
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Request is one request on its way through a Set. The exported fields belong
// to its owner, who sets them before Arrive and leaves them alone until Finish
// or a rejection. Then the Request may be used again: BenchmarkUncontended.
type Request struct {
	// Attributes say what is asked for and by whom.
	Attributes flow.Attributes
	// Distinguisher identifies the flow within its flow schema.
	Distinguisher string
	// Flow is Distinguisher, or what it would be if the level chose queues by it. The
	// use of seats is counted by it.
	Flow string
	// Hasher hashes the flows of the flow schema.
	Hasher *flow.Hasher
	// Series counts for the flow schema on this level.
	Series *Series
	// Work is the estimated cost of the request. Arrive and the dispatch bring it into
	// range, so not even the owner reads it while the request waits.
	Work seats.Work
	// Tenant names the tenant of the flow within its flow schema. A flow without one is a tenant of
	// its own.
	Tenant string
	// Weight is the weight of the flow, and TenantWeight the weight of its tenant. Less than 1 means 1.
	Weight, TenantWeight int
	// Unseated means that the request takes no seat while it executes. Only for Exempt,
	// which never waits for seats.
	Unseated bool
	// Decided, unless nil, is called once when a waiting request has been dispatched or, see Displaced,
	// rejected. Then nothing may Wait for the request. It is called without locks, by whichever call on
	// the Set or the engine decided, and may itself use both.
	// With it, one goroutine serves any number of requests, in virtual time for instance.
	Decided func()

	deadline atomic.Int64 // when the client leaves, by the clock of the Set; 0 if unknown

	ready   chan struct{} // receives once what Decided would be called for
	arrived time.Duration

	// The lock of the Set guards what follows. The owner of a seated request reads it without a lock.
	phase   phase
	held    int           // seats held while executing
	width   int           // seats counted while waiting
	started time.Duration // when the request was seated
	cost    float64       // seat-seconds charged at dispatch
	known   bool          // something was known of the flow at dispatch
	stamps  [2]stamp      // in the root, and in the schedule of its tenant
	queue   *flowQueue    // nil if it executes without one
	serial  uint64        // orders the requests that wait, from 1 on

	aside             bool     // it stepped aside
	prev, next        *Request // neighbours in the queue; next also in a list of woken requests
	newer, older      *Request // neighbours in the list of all requests
	rejectedForReason stats.Reason
	rejectedBy        int // index of a queue, or noQueue
	retryAfter        time.Duration
}

// noQueue is the index of the queue of a request that has none.
const noQueue = -1

// phase is where a request is on its way through a Set.
type phase uint8

const (
	absent phase = iota // neither waiting nor executing
	waiting
	executing
)

// Reason returns why the request was rejected.
func (r *Request) Reason() Reason { return r.rejectedForReason }

// Displaced reports whether the request was rejected while it waited, since its level was full, and a
// request that the fair schedule serves earlier took its place. It means nothing while it waits.
func (r *Request) Displaced() bool { return r.outcome() == Rejected }

// outcome returns the Outcome of a request that waits no longer.
func (r *Request) outcome() Outcome {
	switch {
	case r.phase == executing:
		return Seated
	case r.rejectedForReason == stats.Withdrawn:
		return Unneeded
	default:
		return Rejected
	}
}

// RetryAfter returns when the client of a rejected request should return, after the rejection. A
// server adds a second at random, see promises.
func (r *Request) RetryAfter() time.Duration { return r.retryAfter }

// RejectingQueue returns the index of the queue of the request when it was rejected; -1 without
// one.
func (r *Request) RejectingQueue() int { return r.rejectedBy }

// SetDeadline says after which time from its arrival the client of a request leaves that waits. A
// request that would execute then lets others of its flow go first.
func (r *Request) SetDeadline(after time.Duration) {
	r.deadline.Store(int64(max(1, r.arrived+after)))
}

// Arrived returns when the request arrived, by the clock of the Set.
func (r *Request) Arrived() time.Duration { return r.arrived }

// Started returns when the request was seated, by the clock of the Set. It means
// nothing before that.
func (r *Request) Started() time.Duration { return r.started }

// finalSeats returns how many seats the request, once seated, holds after its end.
func (r *Request) finalSeats() int {
	if r.Work.Latency > 0 {
		return r.Work.Final
	}
	return 0
}

// hashOnArrival returns the hash of the flow if the level chooses queues by it.
func (r *Request) hashOnArrival() flow.Hash {
	if r.Hasher == nil {
		return 0
	}
	return r.Hasher.Hash(r.Distinguisher)
}

// Reason is why a request was rejected.
type Reason = stats.Reason

// The reasons.
const (
	// QueueFull means that the queue of the request was full.
	QueueFull = stats.QueueFull
	// ConcurrencyLimit means that no seat was free on a level without queues.
	ConcurrencyLimit = stats.ConcurrencyLimit
	// TimeOut means that the request waited as long as it may.
	TimeOut = stats.TimeOut
	// Cancelled means that the client left while the request waited.
	Cancelled = stats.Cancelled
	// Reasons is the number of reasons.
	Reasons = stats.Reasons
	// Withdrawn is why a request left its queue that was not rejected: it no longer needs
	// its seats. It is counted nowhere.
	Withdrawn = stats.Withdrawn
)
