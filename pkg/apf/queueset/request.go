package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Request is one request on its way through a Set. The exported fields belong
// to its owner, who sets them before Arrive and leaves them alone until Finish
// or a refusal; then the Request may be used again, which spares its memory.
type Request struct {
	// Attributes say what is asked for and by whom.
	Attributes flow.Attributes
	// Distinguisher is the flow's part of its name within the flow schema.
	Distinguisher string
	// Hasher hashes the flows of the flow schema.
	Hasher *flow.Hasher
	// Series counts for the flow schema on this level.
	Series *stats.Series
	// Work is what the request is expected to cost.
	Work seats.Work

	shard   uint32        // where seats and counters are found, a hint between requests
	ready   chan struct{} // receives once when a waiting request is dispatched
	arrived time.Duration

	// What follows is guarded by the lock of the shard while the Set is open,
	// and by Set.mu while it is closed.
	phase   phase
	era     uint64        // of the Set, when queue was assigned
	held    int           // seats held while executing
	width   int           // seats counted while waiting
	started time.Duration // when execution began
	charged time.Duration // from when on the execution is charged to queue
	area    seats.Area    // work charged at dispatch
	arrival seats.Progress
	queue   *queue

	prev, next       *Request // neighbours in the queue; next also in a list of woken requests
	older, younger   *Request // neighbours in the shard, guarded by its lock
	refusedForReason stats.Reason
}

type phase uint8

const (
	absent phase = iota
	arriving
	waiting
	executing
)

// NewRequest returns a Request that prefers the given shard. Requests that are
// used by one processor at a time should prefer the same.
func NewRequest(shard uint32) *Request { return &Request{shard: shard} }

// Shard returns the number of the shard that the request counts in.
func (r *Request) Shard(of *stats.Layout) int { return of.ShardOf(r.shard) }

// Reason says why the request was refused.
func (r *Request) Reason() stats.Reason { return r.refusedForReason }

// Arrived and Started are points in time of the Set's clock. Started means
// nothing before the request is seated.
func (r *Request) Arrived() time.Duration { return r.arrived }

// Started returns when the request got its seats.
func (r *Request) Started() time.Duration { return r.started }

// Ready receives one value when a request that Arrive left waiting has been
// dispatched.
func (r *Request) Ready() <-chan struct{} { return r.ready }

// lingering is how many seats the request, once seated, holds after its end.
func (r *Request) lingering() int {
	if r.Work.Latency > 0 {
		return r.Work.Final
	}
	return 0
}

func (r *Request) hash() flow.Hash {
	if r.Hasher == nil {
		return 0
	}
	return r.Hasher.Hash(r.Distinguisher)
}
