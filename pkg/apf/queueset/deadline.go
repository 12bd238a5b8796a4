package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// patience says for how long clients of a flow wait.
type patience struct {
	// The longest waits of clients that left, and of clients that were served, in this window and the one
	// before.
	left, stayed [2]time.Duration
	since        time.Duration // when this window began
	last         time.Duration // how long the client waited that left last, before its time was over
}

// remembered is how long a window is.
const remembered = time.Minute

func (p *patience) turn(now time.Duration) {
	if now-p.since < remembered {
		return
	}
	p.left[1], p.stayed[1] = p.left[0], p.stayed[0]
	if now-p.since >= 2*remembered {
		p.left[1], p.stayed[1] = 0, 0
	}
	p.left[0], p.stayed[0], p.since = 0, 0, now
}

// served notes that a client waited until its request was dispatched.
func (p *patience) served(r *Request, now time.Duration) {
	p.turn(now)
	p.stayed[0] = max(p.stayed[0], now-r.arrived)
}

// leaves notes that a client left while it waited, or waited as long as it may.
func (p *patience) leaves(r *Request, now time.Duration, reason stats.Reason) {
	p.turn(now)
	if reason == stats.Cancelled {
		p.last = now - r.arrived
	}
	p.left[0] = max(p.left[0], now-r.arrived)
}

// shown returns how long clients wait before they leave, 0 if that is unknown: some left, and none
// has waited for longer.
func (p *patience) shown(now time.Duration) time.Duration {
	p.turn(now)
	left, stayed := max(p.left[0], p.left[1]), max(p.stayed[0], p.stayed[1])
	if left < stayed-stayed/16 {
		return 0
	}
	return left
}

// hopeless reports whether a request that arrives at q now would wait for longer than clients of the
// flow do.
func (q *flowQueue) hopeless(now time.Duration) bool {
	shown := q.patience.shown(now)
	return shown > 0 && time.Duration(q.waiting)*q.service.interval > shown-min(shown/2, time.Duration(q.expected.time*float64(time.Second)))
}

// doomed reports whether r would be executing when its client leaves: by its deadline, or by what the last client
// did that left. Who waits for longer than that has more patience.
func (q *flowQueue) doomed(r *Request, now time.Duration) bool {
	waited, end := now-r.arrived, now-r.arrived+q.longest(now)
	leaves := func(after time.Duration) bool { return after > 0 && end > after && waited < after+after/margin }
	if deadline := time.Duration(r.deadline.Load()); deadline > 0 && leaves(deadline-r.arrived) {
		return true
	}
	return leaves(q.patience.last)
}

// margin is one over how much longer than a client said or showed it may still wait, as a part of that.
const margin = 32

// longest returns how long few requests of the flow execute for longer. Where none has ended, the
// executing requests have done half of their work on average.
func (q *flowQueue) longest(now time.Duration) time.Duration {
	if q.expected.seen == 0 && q.using > 0 {
		return time.Duration(2 * q.used(now) / float64(q.using) * float64(time.Second))
	}
	return q.expected.longest()
}

// choose chooses the request that is next in q: the first that is not doomed, and else the first.
// A doomed one steps aside until it is not.
func (q *flowQueue) choose(now time.Duration) *Request {
	for q.aside.first != nil || q.line.first != nil && q.waiting > 1 {
		if r := q.aside.first; r != nil && (q.line.first == nil || !q.doomed(r, now)) {
			return r
		}
		r := q.line.first
		if !q.doomed(r, now) {
			return r
		}
		q.line.remove(r)
		q.aside.push(r)
		r.aside = true
	}
	return q.line.first
}

// late reports whether r, which would start now, would not end before its deadline, however short it is among
// what its flow sent. One in tries is not late, since that may have changed. A flow that nothing is known of is
// taken once for one like others, if several are known.
func (s *scheduler) late(r *Request, now time.Duration) bool {
	deadline, q := time.Duration(r.deadline.Load()), r.queue
	if deadline == 0 || now >= deadline+(deadline-r.arrived)/margin {
		return false
	}
	known := &q.expected
	if q.fresh() {
		if known = &s.firsts; q.doubted || known.seen < averaged/4 {
			return false
		}
	}
	if now+known.least() <= deadline {
		return false
	}
	q.doubted = q.fresh()
	s.lates++
	return s.lates%tries != 0
}

// tries is one more than how many late requests are not started before one is.
const tries = 64
