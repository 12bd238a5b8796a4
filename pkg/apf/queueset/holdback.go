package queueset

import "slices"

// enqueue adds r to the end of a queue.
func (q *fairQueue) enqueue(r *Request, to *queue) {
	q.schedule.enqueue(r, to)
	q.cap.arrive(r)
}

// withdraw removes r, which waits, from its queue.
func (q *fairQueue) withdraw(r *Request) {
	if r.heldBack {
		q.letGo(r)
	} else {
		q.schedule.withdraw(r)
	}
	q.cap.leave(r)
	q.readmit(r.use)
}

// holdBack takes r, which its cap forbids to start, out of the schedule.
func (q *fairQueue) holdBack(r *Request) {
	q.schedule.withdraw(r)
	r.queue.held++
	r.queue.work += r.area
	q.cap.holdBack(r)
	q.readmit(r.use)
}

func (q *fairQueue) letGo(r *Request) {
	r.queue.held--
	r.queue.work -= r.area
	q.cap.letGo(r)
}

// readmit puts the oldest request that is held back of a flow into the schedule again, if
// the cap does not forbid it any more. It is called for a flow that has returned seats,
// started a request or lost one that waited. That is enough: while a request is held back
// that the cap would allow, an older one is in the schedule. If one flow alone waits, readmit
// does the same for that, since nothing is forbidden to it.
func (q *fairQueue) readmit(u *flowUse) {
	if q.cap.held == 0 {
		return
	}
	if q.cap.waiting == 1 {
		u = q.cap.holding[0]
	}
	if u == nil || u.held.head == nil || q.cap.exceeds(u.held.head, q.schedule.limit) {
		return
	}
	q.rejoin(u.held.head)
}

// rejoin puts r, which is held back, into the schedule again.
func (q *fairQueue) rejoin(r *Request) {
	q.letGo(r)
	q.schedule.rejoin(r)
}

// readmitAll does what readmit does for each flow, after a change of the limit.
func (q *fairQueue) readmitAll() {
	for _, held := range slices.Backward(q.cap.holding) { // letGo may delete held
		q.readmit(held)
	}
}

// setCap replaces the cap. No request is held back afterwards, and no flow is counted.
func (q *fairQueue) setCap(percent int) {
	for len(q.cap.holding) > 0 {
		q.rejoin(q.cap.holding[0].held.head)
	}
	q.cap = flowCap{percent: percent}
}
