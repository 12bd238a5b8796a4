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
	*q = queue{index: index, place: len(s.actives), heapAt: -1, start: s.clock}
	s.actives = append(s.actives, q)
	return q
}

// retire forgets q if nothing keeps it.
func (s *scheduler) retire(q *queue) {
	if q.length > 0 || q.executing > 0 || q.lingering > 0 || s.clock.Before(q.start) {
		return
	}
	last := len(s.actives) - 1
	s.actives[q.place] = s.actives[last]
	s.actives[q.place].place = q.place
	s.actives[last] = nil
	s.actives = s.actives[:last]
	s.queues[q.index] = nil
	s.keep(q)
	s.trim()
}

// trim forgets the places of queues beyond the deck that have drained.
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

// dissolve forgets all queues; none may hold a waiting request.
func (s *scheduler) dissolve() {
	for i, q := range s.actives {
		s.queues[q.index] = nil
		s.actives[i] = nil
		s.keep(q)
	}
	s.actives = s.actives[:0]
	s.busy = 0
	s.trim()
}
