package queueset

import (
	"cmp"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Dump is the content of a Set.
type Dump struct {
	// Queues is the number of queues configured.
	Queues int
	// Active are the queues in use, by index. Each stands for the flows whose hands it is first in.
	Active []QueueDump
	// Requests are ordered by queue and place in it.
	Requests []RequestDump
}

// QueueDump describes one queue.
type QueueDump struct {
	Index              int
	Waiting, Executing int // requests
	SeatsInUse         int
	NextDispatchR      float64 // the least S, in seat-seconds
	InitialSeats       int     // of the waiting requests
	Widths             int     // of the waiting requests, in seats
	Work               seats.Area
}

// RequestDump describes one request.
type RequestDump struct {
	Schema        string
	Distinguisher string
	Attributes    flow.Attributes
	Work          seats.Work
	// Queue is the index of the request's queue, -1 without one. Place is the request's position
	// among the requests that wait there, -1 if it executes.
	Queue, Place int
	// Arrived and Started are times of the Set's clock. Started is zero for a
	// request that waits.
	Arrived, Started time.Duration
}

// Dump returns the content. While the Set is open, no request is in a queue: the executing
// ones are dealt as they would be if seats ran short now. It changes nothing. It copies a few requests or queues at a
// time and releases the lock of the Set in between, so that requests need not wait for
// it. So requests may come and go meanwhile; each is copied at most once.
func (s *Set) Dump() Dump {
	d := s.newDumper()
	defer d.close()
	for more := true; more; {
		more = d.step()
	}
	return d.dump()
}

// dumpStep is how many requests or queues are copied under the lock at a time.
const dumpStep = 128

// dumper copies the content of a Set step by step: first the requests, shard by shard,
// then the queues.
type dumper struct {
	set      *Set
	shard    int // whose requests are copied next
	begun    bool
	queue    int // in fairQueue.queues: the one that is copied next
	config   Config
	requests []dumpedRequest
	queues   []dumpedQueue
	// dealt is where the executing requests are dealt to queues. It is nil if they are in
	// queues already, or if the level has none.
	dealt *fairQueue
}

// dumpedQueue is a copy of the queue of a flow.
type dumpedQueue struct {
	QueueDump
	hash flow.Hash
}

// dumpedRequest is a copy of a request.
type dumpedRequest struct {
	RequestDump
	serial uint64 // orders the waiting requests; 0 if it executes
	width  int    // while it waits
	held   int    // while it executes
	hasher *flow.Hasher
}

// newDumper returns a dumper. There is one at a time, since it moves the cursors of the
// shards.
func (s *Set) newDumper() *dumper {
	s.dumping.Lock()
	return &dumper{set: s}
}

func (d *dumper) close() { d.set.dumping.Unlock() }

// step copies up to dumpStep requests or queues, and reports whether there may be more.
func (d *dumper) step() bool {
	// Lists that grow are copied. That is not done under the lock.
	d.requests = slices.Grow(d.requests, dumpStep)
	d.queues = slices.Grow(d.queues, dumpStep)
	l := d.set.locked.Lock()
	defer d.set.locked.Unlock(&l)
	if d.shard < len(l.pool.shards) {
		d.copyRequests(l)
		return true
	}
	schedule := &l.queue
	d.config = l.config
	if l.open && l.config.Discipline == Queue {
		now := l.sync()
		d.dealt = &fairQueue{clock: schedule.clock, last: now}
		return false
	}
	return d.copyQueues(l)
}

// copyRequests copies up to dumpStep requests of the shard.
func (d *dumper) copyRequests(l *lockedSet) {
	cell := &l.pool.shards[d.shard]
	sh := cell.Lock()
	defer cell.Unlock(&sh)
	if !d.begun {
		sh.cursor, d.begun = sh.newest, true
	}
	for range dumpStep {
		r := sh.cursor
		if r == nil {
			d.shard, d.begun = d.shard+1, false
			return
		}
		sh.cursor = r.older
		switch r.phase {
		case waiting:
			d.requests = append(d.requests, dumpedRequest{RequestDump: r.dump(l.config.queueOf(r.queue.hash)), serial: r.serial, width: r.width})
		case executing:
			d.requests = append(d.requests, dumpedRequest{RequestDump: l.dumpExecuting(r), held: r.held, hasher: r.Hasher})
		case absent: // it is about to be rejected or seated
		}
	}
}

// copyQueues copies up to dumpStep queues, and reports whether there are more.
func (d *dumper) copyQueues(l *lockedSet) bool {
	now := l.clock.Now()
	queues := l.queue.queues
	end := min(d.queue+dumpStep, len(queues))
	for ; d.queue < end; d.queue++ {
		if q := queues[d.queue]; !l.queue.unused(q) {
			d.queues = append(d.queues, q.dump(d.config, now))
		}
	}
	return end < len(queues)
}

// deal deals the executing requests to queues, in the order of their arrival.
func (d *dumper) deal() {
	slices.SortStableFunc(d.requests, func(a, b dumpedRequest) int { return cmp.Compare(a.Arrived, b.Arrived) })
	for i := range d.requests {
		if r := &d.requests[i]; r.serial == 0 {
			one := Request{Hasher: r.hasher, Flow: r.Distinguisher, Work: r.Work, held: r.held}
			d.dealt.adopt(&one, d.dealt.last)
			r.Queue = d.config.queueOf(one.queue.hash)
		}
	}
	d.queues = d.queues[:0]
	for _, q := range d.dealt.queues {
		d.queues = append(d.queues, q.dump(d.config, d.dealt.last))
	}
}

// merged returns the queues, by index.
func (d *dumper) merged() []QueueDump {
	slices.SortStableFunc(d.queues, func(a, b dumpedQueue) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.hash, b.hash))
	})
	var out []QueueDump
	for i := range d.queues {
		q := &d.queues[i]
		switch last := len(out) - 1; {
		case last < 0 || out[last].Index != q.Index:
			out = append(out, q.QueueDump)
		case q.hash != d.queues[i-1].hash: // or else it was forgotten and used again meanwhile
			out[last].add(&q.QueueDump)
		}
	}
	return out
}

func (q *QueueDump) add(other *QueueDump) {
	q.Waiting += other.Waiting
	q.Executing += other.Executing
	q.SeatsInUse += other.SeatsInUse
	q.NextDispatchR = min(q.NextDispatchR, other.NextDispatchR)
	q.Work += other.Work
}

// dump returns what was copied.
func (d *dumper) dump() Dump {
	if d.dealt != nil {
		d.deal()
	}
	slices.SortStableFunc(d.requests, func(a, b dumpedRequest) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.serial, b.serial), cmp.Compare(a.Arrived, b.Arrived))
	})
	out := Dump{Active: d.merged(), Requests: make([]RequestDump, len(d.requests))}
	if d.config.Discipline == Queue {
		out.Queues = d.config.Queues
	}
	place, active := 0, out.Active
	for i := range d.requests {
		r := &d.requests[i]
		if i == 0 || r.Queue != d.requests[i-1].Queue {
			place = 0
		}
		for len(active) > 0 && active[0].Index < r.Queue {
			active = active[1:]
		}
		if r.serial > 0 {
			r.Place = place
			place++
			if len(active) > 0 && active[0].Index == r.Queue {
				active[0].InitialSeats += r.Work.Initial
				active[0].Widths += r.width
			}
		}
		out.Requests[i] = r.RequestDump
	}
	return out
}

func (l *lockedSet) dumpExecuting(r *Request) RequestDump {
	index := noQueue
	if l.queue.holds(r) {
		index = l.config.queueOf(r.queue.hash)
	}
	one := r.dump(index)
	one.Started = r.started
	return one
}

// dump omits the fields that are sums over the requests.
func (q *queue) dump(c Config, now time.Duration) dumpedQueue {
	return dumpedQueue{QueueDump{
		Index: c.queueOf(q.hash), Waiting: q.length, Executing: q.executing, SeatsInUse: q.seats,
		NextDispatchR: q.startAt(now).SeatSeconds(), Work: q.work,
	}, q.hash}
}

func (r *Request) dump(queue int) RequestDump {
	return RequestDump{
		Schema: r.Series.Schema, Distinguisher: r.Flow, Attributes: r.Attributes, Work: r.Work,
		Queue: queue, Place: -1, Arrived: r.arrived,
	}
}
