package simulate

import "time"

// load is the number of requests that execute in the trace.
type load struct{ ends []time.Duration }

// arrive returns how many requests execute in the trace when one arrives that ends later,
// itself included. Arrivals are in order.
func (l *load) arrive(at, end time.Duration) int {
	for len(l.ends) > 0 && l.ends[0] <= at {
		l.pop()
	}
	l.push(max(end, at))
	return len(l.ends)
}

func (l *load) push(end time.Duration) {
	l.ends = append(l.ends, end)
	for i := len(l.ends) - 1; i > 0 && l.ends[i] < l.ends[(i-1)/2]; i = (i - 1) / 2 {
		l.ends[i], l.ends[(i-1)/2] = l.ends[(i-1)/2], l.ends[i]
	}
}

func (l *load) pop() {
	last := len(l.ends) - 1
	l.ends[0] = l.ends[last]
	l.ends = l.ends[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return
		}
		if child+1 < last && l.ends[child+1] < l.ends[child] {
			child++
		}
		if l.ends[i] <= l.ends[child] {
			return
		}
		l.ends[i], l.ends[child] = l.ends[child], l.ends[i]
		i = child
	}
}
