package queueset

// heap is a binary heap, least rank first. Ranks and positions lie side by side,
// so that ordering does not read the items: BenchmarkManyFlows.
type heap[R reading, T any] struct {
	nodes []node[R, T]
	// positions are one more than the index in nodes, by the number of the item; 0
	// if it is absent.
	positions []int32
}

type node[R reading, T any] struct {
	rank[R]
	number int // find finds the item by it; or unnumbered
	item   T
}

const unnumbered = -1

// reading is what a clock shows. A clock may overflow: of two readings the sign of
// their difference tells which is earlier.
type reading interface{ ~int64 | ~uint64 }

// rank orders by at, and where that is the same by tiebreak.
type rank[R reading] struct {
	at       R
	tiebreak uint64
}

func (r rank[R]) before(other rank[R]) bool {
	if r.at != other.at {
		return int64(r.at-other.at) < 0
	}
	return r.tiebreak < other.tiebreak
}

// find returns the index of the item with a number, -1 if it is absent.
func (h *heap[R, T]) find(number int) int {
	if number >= len(h.positions) {
		return -1
	}
	return int(h.positions[number]) - 1
}

// put writes n at index i.
func (h *heap[R, T]) put(i int, n *node[R, T]) {
	h.nodes[i] = *n
	if n.number >= 0 {
		h.positions[n.number] = int32(i + 1)
	}
}

// reserve makes room for the position of the item with a number.
func (h *heap[R, T]) reserve(number int) {
	if more := number + 1 - len(h.positions); more > 0 {
		h.positions = append(h.positions, make([]int32, more)...)
	}
}

// push adds n.
func (h *heap[R, T]) push(n node[R, T]) {
	h.reserve(n.number)
	h.nodes = append(h.nodes, n)
	h.up(len(h.nodes) - 1)
}

// place adds n, or gives its item the rank of n.
func (h *heap[R, T]) place(n node[R, T]) {
	if i := h.find(n.number); i >= 0 {
		h.rerank(i, n.rank)
	} else {
		h.push(n)
	}
}

// drop removes the item with a number if it is there.
func (h *heap[R, T]) drop(number int) {
	if i := h.find(number); i >= 0 {
		h.remove(i)
	}
}

// remove removes the item at index i.
func (h *heap[R, T]) remove(i int) {
	last := len(h.nodes) - 1
	if gone := h.nodes[i].number; gone >= 0 {
		h.positions[gone] = 0
	}
	moved := h.nodes[last]
	h.nodes[last] = node[R, T]{}
	h.nodes = h.nodes[:last]
	if i < last {
		h.nodes[i] = moved
		if !h.down(i) {
			h.up(i)
		}
	}
}

// clear removes all items.
func (h *heap[R, T]) clear() {
	for i := range h.nodes {
		if gone := h.nodes[i].number; gone >= 0 {
			h.positions[gone] = 0
		}
	}
	clear(h.nodes)
	h.nodes = h.nodes[:0]
}

// arrange makes a heap of nodes in any order.
func (h *heap[R, T]) arrange() {
	for i := range h.nodes {
		h.reserve(h.nodes[i].number)
		h.put(i, &h.nodes[i])
	}
	for i := len(h.nodes)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// rerank gives the item at index i another rank.
func (h *heap[R, T]) rerank(i int, r rank[R]) {
	earlier := r.before(h.nodes[i].rank)
	h.nodes[i].rank = r
	if earlier {
		h.up(i)
	} else {
		h.down(i)
	}
}

// up moves the item at index i towards the root as far as its rank demands.
func (h *heap[R, T]) up(i int) {
	n := h.nodes[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !n.before(h.nodes[parent].rank) {
			break
		}
		h.put(i, &h.nodes[parent])
		i = parent
	}
	h.put(i, &n)
}

// down moves the item at index i away from the root as far as its rank demands,
// and returns whether it moved.
func (h *heap[R, T]) down(i int) bool {
	n, start := h.nodes[i], i
	for {
		child := 2*i + 1
		if child >= len(h.nodes) {
			break
		}
		if right := child + 1; right < len(h.nodes) && h.nodes[right].before(h.nodes[child].rank) {
			child = right
		}
		if !h.nodes[child].before(n.rank) {
			break
		}
		h.put(i, &h.nodes[child])
		i = child
	}
	h.put(i, &n)
	return i > start
}
