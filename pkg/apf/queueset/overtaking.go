package queueset

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// maxOvertaking is how far a request that does not fit may be overtaken, in time
// at the rate of R: B of the package comment. It is less than maxLag, since a claim
// beyond that is forgotten.
const maxOvertaking = maxLag / 2

// widest is the least of the widths that are counted together. Estimates are at most 10 seats wide.
const widest = 16

// widthCounts counts waiting requests by their width.
type widthCounts [widest + 1]int

func (c *widthCounts) add(width, requests int) { c[min(width, widest)] += requests }

// upTo returns how many have at most the given width, without widths of at least widest.
func (c *widthCounts) upTo(width int) int {
	sum := 0
	for _, requests := range c[:min(width+1, widest)] {
		sum += requests
	}
	return sum
}

// overtaker returns the request that may start on the free seats instead of r, which is first in
// the schedule and does not fit. It returns nil, so the seats stay free for r, if no fitting
// request is due soon after r, or if no other request would use the seats collected for r. Once seats
// are collected, they are until r and others of its flow have caught up an eighth of what it fell behind.
func (f *fairQueue) overtaker(r *Request, free int) *Request {
	fitting := f.widths.upTo(free)
	if fitting == 0 || f.waiting-fitting < 2 {
		return nil
	}
	by := f.maxOvertaken()
	if f.collecting {
		by -= by / 8
	}
	first, _ := f.firstFitting(0, free, f.ordered.nodes[f.ordered.find(r.queue.number)].at.Add(by))
	f.collecting = first == nil
	return first
}

// maxOvertaken is maxOvertaking in seat-seconds of one queue.
func (f *fairQueue) maxOvertaken() seats.Area {
	return seats.Advance(maxOvertaking, f.limit, f.counting())
}

// firstFitting looks through the heap at index i and below for the requests that
// fit and end in the fair schedule by due. It returns the first of them and its
// end, or nil and due if there is none.
func (f *fairQueue) firstFitting(i, free int, due seats.Progress) (*Request, seats.Progress) {
	if i >= len(f.ordered.nodes) || due.Before(f.ordered.nodes[i].at) {
		return nil, due
	}
	var first *Request
	q := f.ordered.nodes[i].item
	if finish := q.finishAt(f.last); q.head.width <= free && !due.Before(finish) {
		first, due = q.head, finish
	}
	for child := 2*i + 1; child <= 2*i+2; child++ {
		if r, finish := f.firstFitting(child, free, due); r != nil {
			first, due = r, finish
		}
	}
	return first, due
}
