package queueset

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// heap is a binary heap, least rank first. The ranks are kept in it, side by
// side, so that ordering does not look at the items.
type heap[T any] struct {
	nodes []node[T]
}

type node[T any] struct {
	rank
	at   *int // told the position whenever it changes, -1 when the item is taken out; nil if nobody asks
	item T
}

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

func (n *node[T]) moved(to int) {
	if n.at != nil {
		*n.at = to
	}
}

func (h *heap[T]) push(n node[T]) {
	h.nodes = append(h.nodes, n)
	h.up(len(h.nodes) - 1)
}

// remove takes out the item at position i.
func (h *heap[T]) remove(i int) {
	last := len(h.nodes) - 1
	h.nodes[i].moved(-1)
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
		h.nodes[i] = h.nodes[parent]
		h.nodes[i].moved(i)
		i = parent
	}
	h.nodes[i] = n
	n.moved(i)
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
		h.nodes[i] = h.nodes[child]
		h.nodes[i].moved(i)
		i = child
	}
	h.nodes[i] = n
	n.moved(i)
	return i > start
}
