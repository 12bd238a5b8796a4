package heavyhitters

// tableSize is a power of two and more than twice Counters, so that a search ends soon.
const tableSize = 256

// index finds counters of one summary: by key, and the one with the least sum. The zero
// value is the index of an empty summary.
type index struct {
	table [tableSize]uint8 // by key, open addressing: 1 + the position of the counter, or 0
	heap  []rank           // made when the summary is full
}

// rank is the place of a counter in the heap.
type rank struct {
	sum int64 // of the counter, or an earlier value of it
	at  uint8 // position of the counter
}

// add adds weight to the counter of a flow, see the package comment.
func (x *index) add(s *summary, key uint64, schema, distinguisher string, weight int64) {
	s.total += weight
	if at, found := x.find(s, key); found {
		s.counters[at].sum += weight
		return
	}
	if len(s.counters) < Counters {
		at := s.grow()
		s.counters[at].set(key, schema, distinguisher, weight, 0)
		x.insert(key, at)
		if len(s.counters) == Counters {
			x.order(s)
		}
		return
	}
	at := x.least(s)
	c := &s.counters[at]
	x.remove(s, c.key)
	// The flow that had the counter used at most its sum. Least sums only grow, so no
	// flow that had a counter before used more.
	s.floor = c.sum
	c.set(key, schema, distinguisher, s.floor+weight, s.floor)
	x.insert(key, at)
	x.heap[0].sum = c.sum
	x.sink(0)
}

// reset makes x the index of an empty summary.
func (x *index) reset() {
	clear(x.table[:])
	x.heap = x.heap[:0]
}

// find returns the position of the counter of key.
func (x *index) find(s *summary, key uint64) (at int, found bool) {
	for i := key % tableSize; x.table[i] != 0; i = (i + 1) % tableSize {
		if at := int(x.table[i]) - 1; s.counters[at].key == key {
			return at, true
		}
	}
	return 0, false
}

func (x *index) insert(key uint64, at int) {
	i := key % tableSize
	for x.table[i] != 0 {
		i = (i + 1) % tableSize
	}
	x.table[i] = uint8(at + 1)
}

// remove removes a key that is there. It moves the entries behind the gap that a search
// would no longer reach.
func (x *index) remove(s *summary, key uint64) {
	gap := key % tableSize
	for s.counters[x.table[gap]-1].key != key {
		gap = (gap + 1) % tableSize
	}
	x.table[gap] = 0
	for i := (gap + 1) % tableSize; x.table[i] != 0; i = (i + 1) % tableSize {
		wanted := s.counters[x.table[i]-1].key % tableSize
		if (i-wanted)%tableSize >= (i-gap)%tableSize {
			x.table[gap], x.table[i] = x.table[i], 0
			gap = i
		}
	}
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
