package queueset

import "slices"

// withdraw removes r, which waits, from its queue.
func (f *fairQueue) withdraw(r *Request) {
	if r.heldBack {
		f.letGo(r)
	} else {
		f.unschedule(r)
	}
	f.cap.leave(r)
	f.readmit(r.use)
}

// holdBack takes r, which its cap forbids to start, out of the schedule.
func (f *fairQueue) holdBack(r *Request) {
	f.unschedule(r)
	r.queue.held++
	r.queue.work += r.area
	f.cap.holdBack(r)
	f.readmit(r.use)
}

func (f *fairQueue) letGo(r *Request) {
	r.queue.held--
	r.queue.work -= r.area
	f.cap.letGo(r)
}

// readmit puts the oldest request that is held back of a flow into the schedule again, if
// the cap does not forbid it any more. It is called for a flow that has returned seats,
// started a request or lost one that waited. That is enough: while a request is held back
// that the cap would allow, an older one is in the schedule. If one flow alone waits, readmit
// does the same for that, since nothing is forbidden to it.
func (f *fairQueue) readmit(u *flowUse) {
	if f.cap.held == 0 {
		return
	}
	if f.cap.waiting == 1 {
		u = f.cap.holding[0]
	}
	if u == nil || u.held.head == nil || f.cap.exceeds(u.held.head, f.limit) {
		return
	}
	f.rejoin(u.held.head)
}

// readmitAll does what readmit does for each flow, after a change of the limit.
func (f *fairQueue) readmitAll() {
	for _, held := range slices.Backward(f.cap.holding) { // letGo may delete held
		f.readmit(held)
	}
}

// setCap replaces the cap. No request is held back afterwards, and no flow is counted.
func (f *fairQueue) setCap(percent int) {
	for len(f.cap.holding) > 0 {
		f.rejoin(f.cap.holding[0].held.head)
	}
	f.cap = flowCap{percent: percent}
}
