package queueset

// heap is a binary heap, least item first. Items are told their position when
// it changes, so that they can be found again.
type heap[T heapItem[T]] struct {
	items []T
}

type heapItem[T any] interface {
	before(T) bool
	moved(to int)
}

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	h.up(len(h.items) - 1)
}

// remove takes out the item at position i.
func (h *heap[T]) remove(i int) {
	last := len(h.items) - 1
	h.items[i].moved(-1)
	moved := h.items[last]
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	if i < last {
		h.items[i] = moved
		h.fix(i)
	}
}

// fix restores the order after the item at position i has changed.
func (h *heap[T]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T]) up(i int) {
	item := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !item.before(h.items[parent]) {
			break
		}
		h.items[i] = h.items[parent]
		h.items[i].moved(i)
		i = parent
	}
	h.items[i] = item
	item.moved(i)
}

func (h *heap[T]) down(i int) bool {
	item, start := h.items[i], i
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.items[right].before(h.items[child]) {
			child = right
		}
		if !h.items[child].before(item) {
			break
		}
		h.items[i] = h.items[child]
		h.items[i].moved(i)
		i = child
	}
	h.items[i] = item
	item.moved(i)
	return i > start
}
