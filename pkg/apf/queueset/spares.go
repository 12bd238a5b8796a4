package queueset

// maxSpares bounds the queues that are kept for use again.
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

// trim forgets the places of queues beyond the deck that are not used.
func (s *scheduler) trim() {
	for n := len(s.queues); n > s.dealer.DeckSize() && s.queues[n-1] == nil; n-- {
		s.queues = s.queues[:n-1]
	}
}

func (s *scheduler) keep(q *queue) {
	if len(s.spares) < maxSpares {
		s.spares = append(s.spares, q)
	}
}

// dissolve forgets all queues; none may hold a waiting request. It gives back
// what a crowd has left behind.
func (s *scheduler) dissolve() {
	for i, q := range s.used {
		s.queues[q.index] = nil
		s.used[i] = nil
		s.keep(q)
	}
	s.used = s.used[:0]
	if cap(s.used) > maxSpares {
		s.used, s.ordered = nil, heap[*queue]{}
	}
	s.busy = 0
	s.trim()
}
