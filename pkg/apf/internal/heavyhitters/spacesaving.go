package heavyhitters

// index finds counters of one summary: by key, and the one with the least sum. Call reset before
// its first use.
type index struct {
	positions map[uint64]int // by key
	heap      []rank         // made when the summary is full
}

// rank is the place of a counter in the heap.
type rank struct {
	sum int64 // of the counter, or an earlier value of it
	at  uint8 // position of the counter
}

// add adds weight to the counter of a flow, see the package comment.
func (x *index) add(s *summary, key uint64, schema, distinguisher string, weight int64) {
	s.total += weight
	if at, found := x.positions[key]; found {
		s.counters[at].sum += weight
		return
	}
	if len(s.counters) < Counters {
		at := s.grow()
		s.counters[at].set(key, schema, distinguisher, weight, 0)
		x.positions[key] = at
		if len(s.counters) == Counters {
			x.order(s)
		}
		return
	}
	at := x.least(s)
	c := &s.counters[at]
	delete(x.positions, c.key)
	// The flow that had the counter used at most its sum. Least sums only grow, so no
	// flow that had a counter before used more.
	s.floor = c.sum
	c.set(key, schema, distinguisher, s.floor+weight, s.floor)
	x.positions[key] = at
	x.heap[0].sum = c.sum
	x.sink(0)
}

// reset makes x the index of an empty summary.
func (x *index) reset() {
	if x.positions == nil {
		x.positions = make(map[uint64]int, Counters)
	}
	clear(x.positions)
	x.heap = x.heap[:0]
}

// order makes the heap of a summary that has just become full.
func (x *index) order(s *summary) {
	x.heap = x.heap[:0]
	for at := range s.counters {
		x.heap = append(x.heap, rank{s.counters[at].sum, uint8(at)})
	}
	for i := len(x.heap)/2 - 1; i >= 0; i-- {
		x.sink(i)
	}
}

// least returns the position of the counter with the least sum of a full summary. It
// leaves that counter first in the heap.
func (x *index) least(s *summary) int {
	for {
		first := &x.heap[0]
		sum := s.counters[first.at].sum
		if first.sum == sum {
			return int(first.at)
		}
		first.sum = sum
		x.sink(0)
	}
}

// sink restores the order of the heap after the sum at i has grown.
func (x *index) sink(i int) {
	moved := x.heap[i]
	for {
		child := 2*i + 1
		if child >= len(x.heap) {
			break
		}
		if next := child + 1; next < len(x.heap) && x.heap[next].sum < x.heap[child].sum {
			child = next
		}
		if moved.sum <= x.heap[child].sum {
			break
		}
		x.heap[i] = x.heap[child]
		i = child
	}
	x.heap[i] = moved
}
