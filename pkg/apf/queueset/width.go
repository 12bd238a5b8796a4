package queueset

import "time"

// maxOvertaking is how far a request that does not fit may be overtaken, in time at the fair rate: B of
// the package comment.
const maxOvertaking = time.Second / 2

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

// overtaking is what others do while a request that does not fit is first.
type overtaking struct {
	overtaken  *Request // waits, was first and did not fit when another overtook it
	collecting bool     // seats, since overtaking reached its bound
	blocked    *Request // was first and did not fit, and waits
	passed     float64  // seat-seconds that newcomers are expected to use that passed it
}

// block notes that r is first and does not fit.
func (o *overtaking) block(r *Request) {
	if o.blocked != r {
		o.blocked, o.passed = r, 0
	}
}

// mayPass reports whether a newcomer may start before the blocked request. Together they use no more than
// one request does on average.
func (s *scheduler) mayPass(e *entity) bool {
	cost := s.root.expectedOf(e).expectedCost(e.head.Work)
	if s.overtaking.passed+cost > s.root.works/float64(s.root.active) {
		return false
	}
	s.overtaking.passed += cost
	return true
}

// gone notes that r does not wait any more.
func (o *overtaking) gone(r *Request) {
	if r == o.overtaken {
		o.overtaken = nil
	}
	if r == o.blocked {
		o.blocked = nil
	}
}

// maxOvertaken is maxOvertaking in seat-seconds of an entity of weight 1.
func (s *scheduler) maxOvertaken() float64 {
	return maxOvertaking.Seconds() * float64(s.limit) / s.root.activeWeight
}

// overtaker returns the request that may start on the free seats instead of that of first, which does
// not fit.
func (s *scheduler) overtaker(first *entity, now time.Duration) *Request {
	fitting := s.widths.upTo(s.free())
	if first.head.stamps[0].alone || fitting == 0 || s.waiting-fitting < 2 {
		return nil
	}
	by := s.maxOvertaken()
	if s.overtaking.collecting {
		by -= by / 8
	}
	due := first.place.at + by
	for {
		found := s.root.places.firstOfWidth(s.free())
		if found == nil || found.at > due {
			s.overtaking.collecting = true
			return nil
		}
		before := found.at
		if s.root.reorder(found.of, now); found.at <= before {
			s.overtaking.collecting, s.overtaking.overtaken = false, first.head
			return found.of.head
		}
	}
}
