package search

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// rejected judges a rejection, before the request is removed.
func (j *judge) rejected(r *Request, a *account) {
	j.divide(j.seats)
	j.changed = true
	g, v := a.tenant, float64(r.Width)
	doomed := r.Deadline > 0 && j.doomed(r, a)
	if doomed {
		j.refused += r.Work()
	}
	if doomed || a.waiting > 1 || !below(&a.usage, v) {
		return
	}
	within := 0 // flows of its tenant with two
	for _, o := range g.flows {
		if o.waiting > 1 {
			within++
		}
	}
	others := j.two > within && g.waiting == 1 && below(&g.usage, v)
	if within > 0 || others {
		j.Displaced++
		j.Worst[FullLevel] = fmt.Sprintf("%s at %.3f s", a.name, j.now)
	}
}

// doomed reports whether r may be rejected because of its deadline: if the shortest of the last requests of its flow
// would miss it. When it would start, a flow that nothing is known of may be taken once for one like others.
func (j *judge) doomed(r *Request, a *account) bool {
	starts := j.now <= j.freed || j.inUse+r.Width <= int(j.seats)
	if starts && (len(j.all) > remembered || a.works.n == 0 && !a.doubted) {
		a.doubted = true
		return true
	}
	shortest := r.Duration
	if len(a.recent) > 0 {
		shortest = max(shortest, slices.Min(a.recent))
	}
	return j.now+shortest.Seconds() > (r.Arrived + r.Deadline).Seconds()
}

// So few clients, and one of so many, may be lost: what the last client showed that left need not be so for the next.
const (
	fewLost  = 2
	partLost = 50
)

// lost returns how many more clients of a flow would have been served if each start had been of the oldest request,
// and had taken as long as the longest of the flow: of clients that are more patient than another that left, and
// equally patient among them. The requests are in the order of arrival. Of requests of several widths it cannot tell.
func lost(requests []*Request) int {
	var starts []*Request
	least, longest := time.Duration(0), time.Duration(0) // patience of the clients that left; duration
	served := map[time.Duration]int{}                    // by patience, less than in order
	for _, r := range requests {
		longest = max(longest, r.Duration)
		if r.Width != requests[0].Width {
			return 0
		}
		switch {
		case r.ended > 0:
			starts = append(starts, r)
			if r.ended <= r.Arrived+r.Patience {
				served[r.Patience]++
			}
		case r.last == Left && (least == 0 || r.Patience < least):
			least = r.Patience
		}
	}
	slices.SortFunc(starts, func(a, b *Request) int { return cmp.Compare(a.started, b.started) })
	next := 0
	for _, start := range starts {
		for ; next < len(requests) && requests[next].Arrived <= start.started; next++ {
			r := requests[next]
			leaves := r.Arrived + r.Patience
			if r.last == Rejected || r.last == Displaced || leaves <= start.started {
				continue
			}
			next++
			if start.started+longest <= leaves {
				served[r.Patience]--
			}
			break
		}
	}
	n := 0
	for patience, less := range served {
		if patience > least {
			n += max(0, -less-max(fewLost, len(requests)/partLost))
		}
	}
	return n
}
