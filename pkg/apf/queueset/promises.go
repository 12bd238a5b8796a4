package queueset

import "time"

// maxRetryAfter is the longest time after which a rejected client is told to return. The library's
// is the same.
const maxRetryAfter = 32 * time.Second

// served notes that a request of q is dispatched, and how long after the one before if it waited then.
// The average begins at 0: when a storm begins, flows are served more slowly than when the first of
// them have gone.
func (q *queue) served(r *Request, now time.Duration) {
	if r.arrived <= q.servedAt {
		q.interval += (now - q.servedAt - q.interval) / 16
	}
	q.servedAt = now
}

// promise returns the time after which a rejected client of q, nil for a flow without a queue,
// should return: one after the other, as fast as the flow is served, from when half of what waits is
// gone, or half of the time has passed after which it leaves. So those who return find places, and no seat is free
// before they come. A flow without any that waits shares the promises of the level with others.
func (l *lockedSet) promise(q *queue, now time.Duration) time.Duration {
	f := &l.queue
	step := time.Duration(f.executions.work / float64(max(f.limit, 1)))
	last, waiting, leave := &l.promised, f.waiting, maxRetryAfter
	if q != nil && q.length > 0 {
		last, waiting = &q.promised, q.length
		if q.left > 0 {
			leave = min(leave, max(q.left, now-q.head.arrived)) // who waits for longer has more patience
		}
		if step *= time.Duration(len(f.ordered.nodes)); q.interval > 0 {
			step = q.interval
		}
	}
	gone := min(time.Duration(waiting)*min(step, maxRetryAfter), leave)
	*last = min(max(*last, now+gone/2)+step, now+maxRetryAfter)
	return *last - now
}
