package queueset

import "time"

// mostPassed bounds how many requests of a queue are passed at one moment.
const mostPassed = 64

// doomed reports whether r would be executing when its client leaves: by its deadline, or by what the
// clients of its flow did that left while they waited. Who waits for longer than that has more patience.
func (f *fairQueue) doomed(r *Request) bool {
	end := f.last + r.queue.executions.longest()
	if deadline := time.Duration(r.deadline.Load()); end > deadline && f.last < deadline+(deadline-r.arrived)/8 {
		return true
	}
	patience, waited := r.queue.patience, f.last-r.arrived
	return patience > 0 && waited < patience+patience/8 && end-r.arrived > patience
}

// pass moves doomed requests at the head of q to its end, and reports whether there are any. They
// leave, or prove patient and are served when they are at the head again.
func (f *fairQueue) pass(q *queue) bool {
	if q.passedAt == f.last || q.length < 2 || !f.doomed(q.head) {
		return false
	}
	q.passedAt = f.last
	for n := 0; n < min(q.length, mostPassed) && f.doomed(q.head); n++ {
		r := q.head
		if r == f.overtaken {
			f.overtaken = nil
		}
		q.remove(r)
		f.serial++
		r.serial = f.serial
		q.push(r)
	}
	f.reorder(q)
	return true
}
