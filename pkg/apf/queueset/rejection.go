package queueset

import (
	"time"
)

// displaced returns the request that a request of the flow, nil for one without a queue, displaces from
// a full level: the last one of the flow with most requests that wait beyond one, or nil if that is the new
// one. Of flows with equally many, it takes the one that was given most.
func (s *scheduler) displaced(q *flowQueue, r *Request, now time.Duration) *Request {
	own, waiting := &entity{weight: weightOf(r.Weight)}, 0
	if r.Tenant != "" {
		own.weight = weightOf(r.TenantWeight)
		if t := s.flows.tenants[tenantName{r.Hasher, r.Tenant}]; t != nil {
			own, waiting = &t.entity, t.waiting
		}
	} else if q != nil {
		own, waiting = &q.entity, q.waiting
	}
	if longest := s.root.lengths.last(); longest.of != own {
		s.root.touch(own)
		if lengthBefore(float64(waiting)/own.weight, own.given(now), longest) {
			return lastOf(longest.of)
		}
	}
	if own.tenant == nil || own.waiting == 0 {
		return nil
	}
	// The tenant of r loses one.
	flows, waiting := &own.tenant.flows, 0
	inner := flows.lengths.last()
	if q != nil {
		if waiting = q.waiting; inner.of == &q.entity {
			return nil
		}
	}
	if lengthBefore(float64(waiting)/weightOf(r.Weight), flows.origin, inner) {
		return lastOf(inner.of)
	}
	return nil
}

func lengthBefore(length, given float64, other *rank) bool {
	return length < other.at || length == other.at && given < other.tie
}

// lastOf returns the request that e loses on a full level.
func lastOf(e *entity) *Request {
	if e.tenant != nil {
		return lastOf(e.tenant.flows.lengths.last().of)
	}
	if r := e.flow.line.last; r != nil {
		return r
	}
	return e.flow.aside.last
}

// maxRetryAfter is the longest time after which a rejected client is told to return. The library's
// is the same.
const maxRetryAfter = 32 * time.Second

// service is how a flow is served while its requests wait.
type service struct {
	promised time.Duration // when the client that was rejected last was told to return
	servedAt time.Duration // when a request was dispatched last
	interval time.Duration // between dispatches while requests wait, an average; 0 if unknown
}

// served notes that a request is dispatched, and how long after the one before if it waited then.
// The average begins at 0: when a storm begins, flows are served more slowly than when the first of
// them have gone.
func (v *service) served(r *Request, now time.Duration) {
	if r.arrived <= v.servedAt {
		v.interval += (now - v.servedAt - v.interval) / 16
	}
	v.servedAt = now
}

// promise returns the time after which a rejected client of q, nil for a flow without a queue,
// should return: one at a time, as fast as the flow is served, from when half of what waits is
// gone, or half of the time has passed after which it leaves. So those who return find places, and no
// seat is free before they come. A flow without any that waits shares the promises of the level with others.
func (l *lockedSet) promise(q *flowQueue, now time.Duration) time.Duration {
	s := &l.schedule
	step := time.Duration(l.executed.work / float64(max(s.limit, 1)) * float64(time.Second))
	last, waiting, leave := &l.promised, s.waiting, maxRetryAfter
	if q != nil && q.waiting > 0 {
		last, waiting = &q.service.promised, q.waiting
		if left := q.patience.shown(now); left > 0 {
			leave = min(leave, max(left, now-q.head.arrived)) // who waits for longer has more patience
		}
		if step *= time.Duration(s.root.waiting); q.service.interval > 0 {
			step = q.service.interval
		}
	}
	gone := min(time.Duration(waiting)*min(step, maxRetryAfter), leave)
	*last = min(max(*last, now+gone/2)+step, now+maxRetryAfter)
	return *last - now
}
