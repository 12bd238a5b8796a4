package queueset

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// patience is how far a request that does not fit may be overtaken, in time at
// the rate of R. It is less than maxLag, or what it waited for would be forgotten.
const patience = maxLag / 2

// widest is the width from which on crowd makes no difference. Levels let requests
// have 10 seats at most.
const widest = 16

// crowd counts the requests that wait by their width.
type crowd [widest + 1]int

func (c *crowd) add(width, requests int) { c[min(width, widest)] += requests }

// upTo returns how many have at most the given width, not counting the widest.
func (c *crowd) upTo(width int) int {
	sum := 0
	for _, requests := range c[:min(width+1, widest)] {
		sum += requests
	}
	return sum
}

// overtaker returns the request that may start on the free seats instead of r,
// which is next but needs more: nil, and the seats are kept free for r, if none
// that fits is due soon after it, or if r would be alone in using the seats once
// they are collected.
func (s *scheduler) overtaker(r *Request, free int) *Request {
	fitting := s.crowd.upTo(free)
	if fitting == 0 || s.waiting-fitting < 2 {
		return nil
	}
	due := s.ordered.nodes[s.ordered.find(r.queue.index)].finish.Add(seats.Advance(patience, s.limit, s.busy))
	first, _ := s.firstFitting(0, free, due)
	return first
}

// firstFitting returns the request that ends first in the fair schedule, and
// when, of those at the heap's place and below that fit and end by the time due.
// It returns nil and due without one.
func (s *scheduler) firstFitting(place, free int, due seats.Progress) (*Request, seats.Progress) {
	if place >= len(s.ordered.nodes) || due.Before(s.ordered.nodes[place].finish) {
		return nil, due
	}
	var first *Request
	q := s.ordered.nodes[place].item
	if finish := q.finishAt(s.last); q.head.width <= free && !due.Before(finish) {
		first, due = q.head, finish
	}
	for child := 2*place + 1; child <= 2*place+2; child++ {
		if r, finish := s.firstFitting(child, free, due); r != nil {
			first, due = r, finish
		}
	}
	return first, due
}
