package queueset

import "time"

// patience says for how long clients of a flow wait.
type patience struct {
	// The longest waits of clients that left, and of clients that were served, in this window and the one
	// before.
	left, stayed [2]time.Duration
	since        time.Duration // when this window began
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

// leaves notes that a client left while it waited.
func (p *patience) leaves(r *Request, now time.Duration) {
	p.turn(now)
	p.left[0] = max(p.left[0], now-r.arrived)
}

// shown returns how long clients wait before they leave, 0 if that is unknown: some left, and none
// has waited for longer.
func (p *patience) shown(now time.Duration) time.Duration {
	p.turn(now)
	left, stayed := max(p.left[0], p.left[1]), max(p.stayed[0], p.stayed[1])
	if left < stayed-stayed/8 {
		return 0
	}
	return left
}

// hopeless reports whether a request that arrives at q now would wait for longer than clients of the
// flow do.
func (q *flowQueue) hopeless(now time.Duration) bool {
	shown := q.patience.shown(now)
	return shown > 0 && time.Duration(q.waiting)*q.service.interval+q.expected.longest() > shown
}

// mostPassed bounds how many requests are passed at one moment.
const mostPassed = 64

// doomed reports whether r would be executing when its client leaves, and the client is not late.
func (s *scheduler) doomed(r *Request, now time.Duration) bool {
	deadline := time.Duration(r.deadline.Load())
	return deadline > 0 && now+r.queue.expected.longest() > deadline && now < deadline+(deadline-r.arrived)/8
}

// passed moves r, the first of its queue, to the end if it would be executing when its client leaves.
func (s *scheduler) passed(r *Request, now time.Duration) bool {
	q := r.queue
	if q.passedAt == now || q.waiting < 2 || !s.doomed(r, now) {
		return false
	}
	q.passedAt = now
	s.uncounted(q, now)
	for n := 0; n < min(q.waiting, mostPassed) && s.doomed(q.head, now); n++ {
		r := q.head
		q.remove(r)
		s.serial++
		r.serial = s.serial
		q.push(r)
	}
	s.counted(q, now)
	return true
}
