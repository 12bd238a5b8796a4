package queueset

// maxSpares bounds the number of queues that are kept for reuse. Reuse saves an
// allocation for each queue that becomes active, see BenchmarkManyFlows; the bound
// keeps an idle level small, see BenchmarkIdleLevel.
const maxSpares = 64

func (s *scheduler) newQueue(index int) *queue {
	var q *queue
	if last := len(s.spares) - 1; last >= 0 {
		q, s.spares = s.spares[last], s.spares[:last]
	} else {
		q = new(queue)
	}
	*q = queue{index: index, start: s.clock}
	s.used = append(s.used, q)
	return q
}

func (s *scheduler) keep(q *queue) {
	if len(s.spares) < maxSpares {
		s.spares = append(s.spares, q)
	}
}

// dissolve forgets all queues, in which no request may wait. It releases the
// memory that many queues have taken.
func (s *scheduler) dissolve() {
	for i, q := range s.used {
		s.queues[q.index] = nil
		s.used[i] = nil
		s.keep(q)
	}
	s.used = s.used[:0]
	s.ahead.clear()
	if cap(s.used) > maxSpares {
		s.used, s.ordered, s.ahead = nil, queueHeap{}, queueHeap{}
	}
	if len(s.queues) > s.dealer.DeckSize() {
		s.queues = nil // fewer are configured than there were
	}
	s.active = 0
}
