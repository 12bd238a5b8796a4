package queueset

import "time"

const (
	// maxRetryAfter is the longest time after which a rejected client is told to return. The library's
	// is the same.
	maxRetryAfter = 32 * time.Second
	// invited is how many clients are told to return for each request that is served: some come late,
	// and a few are rejected again.
	invited = 2
)

// served notes that a request of q is dispatched, and how long after the one before if it waited then.
func (q *queue) served(r *Request, now time.Duration) {
	if r.arrived <= q.servedAt {
		q.interval += (now - q.servedAt - q.interval) / 16
	}
	q.servedAt = now
}

// promise returns the time after which a rejected client of q, nil for a flow without a queue,
// should return: one after the other, as fast as the flow is served, from when half of what waits is
// gone. So those who return find places, and no seat is free before they come. A flow without any that
// waits shares the promises of the level with others.
func (l *lockedSet) promise(q *queue, now time.Duration) time.Duration {
	f := &l.queue
	step := time.Duration(f.executions.work / float64(max(f.limit, 1)))
	last, waiting := &l.promised, f.waiting
	if q != nil && q.length > 0 {
		last, waiting = &q.promised, q.length
		if step *= time.Duration(len(f.ordered.nodes)); q.interval > 0 {
			step = q.interval
		}
	}
	step = min(step, maxRetryAfter)
	half := now + min(time.Duration(float64(step)*float64(waiting)/2), maxRetryAfter)
	*last = min(max(*last, half)+step/invited, now+maxRetryAfter)
	return *last - now
}
