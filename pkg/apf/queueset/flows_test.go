package queueset

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestWhatACrowdInManyQueuesLeavesBehindIsGivenBack(t *testing.T) {
	const flows = 1000
	s := fairQueue{limit: 1}
	for i := range flows {
		s.enqueue(&Request{Work: seats.Work{Initial: 1}, width: 1}, s.queueOf(flow.Hash(i)))
	}
	require.Len(t, s.flows, flows)
	for r := s.next(); r != nil; r = s.next() {
		s.dispatch(r, 0)
		s.unseat(r, 0, 0)
	}
	s.dissolve()
	assert.Len(t, s.spares, maxSpares)
	assert.LessOrEqual(t, cap(s.queues), maxSpares)
	assert.LessOrEqual(t, cap(s.ordered.nodes), maxSpares)
}

// Issue 105469: the virtual clock eventually overflows. With 600 seats and one
// active queue, half of its range lasts 177 days.
func TestAQueueThatRestsForHalfARoundOfTheClockIsStillAtRest(t *testing.T) {
	s := fairQueue{limit: 1}
	r := &Request{Work: seats.Work{Initial: 1}, width: 1}
	q := s.queueOf(0)
	s.enqueue(r, q)
	s.dispatch(r, 0)
	s.unseat(r, 0, 0)
	for range 16 {
		s.advance(1 << 61)
		require.True(t, s.unused(q))
	}
}

// The bound is one of flows that owe something at the same time.
func TestAFlowOwesWhatItUsedHoweverManyHavePaid(t *testing.T) {
	const execution = ServiceTimeGuess / 3 // too short to count afterwards
	work := seats.AreaOf(1, execution)
	s := fairQueue{limit: 1}
	use := func(hash flow.Hash) {
		r := &Request{Work: seats.Work{Initial: 1}, width: 1}
		s.enqueue(r, s.queueOf(hash))
		s.dispatch(r, 0)
		s.unseat(r, execution, 0)
	}
	for i := range flow.Hash(maxDebts + 1) {
		use(i)
		s.advance(work)
	}
	owing := flow.Hash(maxDebts + 1)
	use(owing)
	assert.Equal(t, work, s.queueOf(owing).start.Sub(s.clock))
}
