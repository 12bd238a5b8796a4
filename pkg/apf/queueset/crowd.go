package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// crowd orders the queues by the ends of their last requests in the fair schedule, the last one
// first, while as many requests wait as may. The ends are those at a time that is at most G from
// now. So a queue moves only when its requests change, and whoever executes is at most G for each of
// its seats further behind than now. The zero crowd is of a level that is not full.
type crowd struct {
	last queueHeap
	at   time.Duration // of the ends
	few  int           // the crowd disperses when fewer requests wait
}

// displaced returns the request that a request of q, nil for a flow without one, displaces from a
// full level: the last one of the schedule, or nil if that is the new one.
func (f *fairQueue) displaced(q *queue, work seats.Area) *Request {
	last := f.crowd.first(f)
	end := f.clock
	if q != nil && !f.unused(q) {
		end = q.tailAt(f.crowd.at)
	}
	if !end.Add(work).Before(last.tailAt(f.crowd.at)) {
		return nil
	}
	return last.tail
}

// first returns the queue whose last request is the last one of the schedule.
func (c *crowd) first(f *fairQueue) *queue {
	if len(c.last.nodes) == 0 || c.at < f.last {
		c.gather(f)
	}
	return c.last.nodes[0].item
}

// gather orders all queues.
func (c *crowd) gather(f *fairQueue) {
	c.at, c.few = f.last+ServiceTimeGuess, f.waiting*3/4
	c.last.clear()
	for i := range f.ordered.nodes {
		c.last.nodes = append(c.last.nodes, c.node(f.ordered.nodes[i].item))
	}
	c.last.arrange()
}

func (c *crowd) node(q *queue) node[seats.Progress, *queue] {
	return node[seats.Progress, *queue]{rank: rank[seats.Progress]{at: -q.tailAt(c.at)}, number: q.number, item: q}
}

// reorder moves q to its position after its S or its requests have changed.
func (c *crowd) reorder(q *queue) {
	switch {
	case len(c.last.nodes) == 0:
	case q.head == nil:
		c.last.drop(q.number)
	default:
		c.last.place(c.node(q))
	}
}

// disperse ends the order if few requests wait.
func (c *crowd) disperse(waiting int) {
	if waiting < c.few {
		c.last.clear()
		c.few = 0
	}
}
