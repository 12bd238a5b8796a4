package queueset

// maxSpares bounds the number of queues that are kept for reuse. Reuse saves an
// allocation for each queue that becomes active, see BenchmarkManyFlows; the bound
// keeps an idle level small, see BenchmarkIdleLevel.
const maxSpares = 64

func (f *fairQueue) newQueue(index int) *queue {
	var q *queue
	if last := len(f.spares) - 1; last >= 0 {
		q, f.spares = f.spares[last], f.spares[:last]
	} else {
		q = new(queue)
	}
	*q = queue{index: index, start: f.clock}
	f.used = append(f.used, q)
	return q
}

func (f *fairQueue) keep(q *queue) {
	if len(f.spares) < maxSpares {
		f.spares = append(f.spares, q)
	}
}

// dissolve forgets all queues. No request may wait in any. It releases the memory that many queues
// have taken.
func (f *fairQueue) dissolve() {
	for i, q := range f.used {
		f.queues[q.index] = nil
		f.used[i] = nil
		f.keep(q)
	}
	f.used = f.used[:0]
	f.ahead.clear()
	if cap(f.used) > maxSpares {
		f.used, f.ordered, f.ahead = nil, queueHeap{}, queueHeap{}
	}
	if len(f.queues) > f.dealer.DeckSize() {
		f.queues = nil // fewer are configured than there were
	}
	f.active = 0
}
