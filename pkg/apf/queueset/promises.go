package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// maxRetryAfter is the longest time after which a rejected client is told to return. The library's
// is the same.
const maxRetryAfter = 32 * time.Second

// promises say when rejected clients should return: one after the other, at the rate at which
// requests are served, and when half of what waits is gone. So those who return find places, and
// seats do not become free before they come.
type promises struct {
	work float64       // of a request, in seat-nanoseconds: an average
	seen float64       // how many requests it is of, at most averaged
	last time.Duration // when the last client of the level was told to return
}

// averaged is how many requests the average work is of.
const averaged = 64

// observe counts the work of a request.
func (p *promises) observe(work seats.Area) {
	p.seen = min(p.seen+1, averaged)
	p.work += (float64(work) - p.work) / p.seen
}

// promise returns the time after which a rejected client of q, nil for a flow without a queue,
// should return. Where other requests of the flow wait, the flow is served one request in the time
// in which R advances by its work. A flow of which none waits has to wait for a place, like all
// flows together.
func (l *lockedSet) promise(q *queue, now time.Duration) time.Duration {
	f, p := &l.queue, &l.promised
	step := p.work * float64(max(f.counting(), 1)) / float64(max(f.limit, 1))
	p.last = next(p.last, now, step/float64(max(len(f.ordered.nodes), 1)), f.waiting)
	if q == nil || q.length == 0 {
		return p.last - now
	}
	q.promised = next(q.promised, now, step, q.length)
	return min(p.last, q.promised) - now
}

// next returns the time of a promise after the last one, where so many wait and one is served in
// each step, in nanoseconds.
func next(last, now time.Duration, step float64, waiting int) time.Duration {
	half := now + time.Duration(min(step*float64(waiting)/2, float64(maxRetryAfter)))
	return min(max(last, half)+time.Duration(min(step, float64(maxRetryAfter))), now+maxRetryAfter)
}
