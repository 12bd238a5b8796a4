package queueset

import "time"

// maxRetryAfter is the longest time after which a rejected client is told to return. The library's
// is the same.
const maxRetryAfter = 32 * time.Second

// promise returns the time after which a rejected client of q, nil for a flow without a queue,
// should return: one after the other, at the rate at which requests are served, and when half of
// what waits is gone. So those who return find places, and no seat is free before they come. Where other requests of the flow wait, the flow is served one request in the time
// in which R advances by its work. A flow of which none waits has to wait for a place, like all
// flows together.
func (l *lockedSet) promise(q *queue, now time.Duration) time.Duration {
	f := &l.queue
	step := f.executions.work * float64(max(f.counting(), 1)) / float64(max(f.limit, 1))
	l.promised = next(l.promised, now, step/float64(max(len(f.ordered.nodes), 1)), f.waiting)
	if q == nil || q.length == 0 {
		return l.promised - now
	}
	q.promised = next(q.promised, now, step, q.length)
	return min(l.promised, q.promised) - now
}

// next returns the time of a promise after the last one, where so many wait and one is served in
// each step, in nanoseconds.
func next(last, now time.Duration, step float64, waiting int) time.Duration {
	half := now + time.Duration(min(step*float64(waiting)/2, float64(maxRetryAfter)))
	return min(max(last, half)+time.Duration(min(step, float64(maxRetryAfter))), now+maxRetryAfter)
}
