package queueset

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// heap is a binary heap, least rank first. Ranks and places are kept side by
// side, so that ordering does not look at the items.
type heap[T any] struct {
	nodes  []node[T]
	places []int32 // of the items that have a number, by number: one more than the position, 0 if absent
}

type node[T any] struct {
	rank
	number int // by which the item is found again; unnumbered if nobody asks
	item   T
}

const unnumbered = -1

// rank orders by finish, and where that is the same by turn.
type rank struct {
	finish seats.Progress
	turn   uint64
}

func (r rank) before(other rank) bool {
	if r.finish != other.finish {
		return r.finish.Before(other.finish)
	}
	return r.turn < other.turn
}

// find returns the position of the item with a number, -1 if it is not there.
func (h *heap[T]) find(number int) int {
	if number >= len(h.places) {
		return -1
	}
	return int(h.places[number]) - 1
}

// put writes n at position i.
func (h *heap[T]) put(i int, n *node[T]) {
	h.nodes[i] = *n
	if n.number >= 0 {
		h.places[n.number] = int32(i + 1)
	}
}

func (h *heap[T]) push(n node[T]) {
	if more := n.number + 1 - len(h.places); more > 0 {
		h.places = append(h.places, make([]int32, more)...)
	}
	h.nodes = append(h.nodes, n)
	h.up(len(h.nodes) - 1)
}

// remove takes out the item at position i.
func (h *heap[T]) remove(i int) {
	last := len(h.nodes) - 1
	if gone := h.nodes[i].number; gone >= 0 {
		h.places[gone] = 0
	}
	moved := h.nodes[last]
	h.nodes[last] = node[T]{}
	h.nodes = h.nodes[:last]
	if i < last {
		h.nodes[i] = moved
		if !h.down(i) {
			h.up(i)
		}
	}
}

// rerank gives the item at position i another rank.
func (h *heap[T]) rerank(i int, r rank) {
	earlier := r.before(h.nodes[i].rank)
	h.nodes[i].rank = r
	if earlier {
		h.up(i)
	} else {
		h.down(i)
	}
}

func (h *heap[T]) up(i int) {
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

func (h *heap[T]) down(i int) bool {
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
