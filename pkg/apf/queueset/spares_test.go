package queueset

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestWhatACrowdInManyQueuesLeavesBehindIsGivenBack(t *testing.T) {
	const queues = 1000
	dealer, err := flow.NewDealer(queues, 1)
	require.NoError(t, err)
	s := fairQueue{dealer: dealer, limit: 1}
	for i := range queues {
		s.enqueue(&Request{Work: seats.Work{Initial: 1}, width: 1}, s.choose(flow.Hash(i)))
	}
	require.Len(t, s.used, queues)
	for r := s.next(); r != nil; r = s.next() {
		s.dispatch(r, 0)
		s.unseat(r, 0, 0)
	}
	s.dissolve()
	assert.Len(t, s.spares, maxSpares)
	assert.LessOrEqual(t, cap(s.used), maxSpares)
	assert.LessOrEqual(t, cap(s.ordered.nodes), maxSpares)
}

// Issue 105469: the virtual clock eventually overflows. With 600 seats and one
// active queue, half of its range lasts 177 days.
func TestAQueueThatRestsForHalfARoundOfTheClockIsStillAtRest(t *testing.T) {
	dealer, err := flow.NewDealer(1, 1)
	require.NoError(t, err)
	s := fairQueue{dealer: dealer, limit: 1}
	r := &Request{Work: seats.Work{Initial: 1}, width: 1}
	q := s.choose(0)
	s.enqueue(r, q)
	s.dispatch(r, 0)
	s.unseat(r, 0, 0)
	for range 16 {
		s.advance(1 << 61)
		require.True(t, s.vacant(q.index))
		require.True(t, s.unused(q))
	}
}
