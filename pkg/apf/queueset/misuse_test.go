package queueset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// requireMisuse requires that Finish panics and changes nothing.
func (f *fixture) requireMisuse(r *queueset.Request, seatsInUse int) {
	f.t.Helper()
	assert.PanicsWithValue(f.t, "queueset: Finish of a request that does not execute; call it once for each request that Arrive or Wait returned as Seated",
		func() { f.set.Finish(r) })
	assert.Equal(f.t, seatsInUse, f.seatsInUse())
	assert.EqualValues(f.t, seatsInUse, f.series.Snapshot().ExecutingSeats)
	assert.NoError(f.t, f.set.Inconsistency())
}

// A second Finish returned seats that others had.
func TestFinishOfARequestThatDoesNotExecutePanics(t *testing.T) {
	for name, config := range map[string]queueset.Config{
		"with queues": queues(8, 1, 10), "without queues": rejecting(), "exempt": {Discipline: queueset.Exempt},
	} {
		for _, limit := range []int{2, 100} { // closed and open
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, config, limit)
				other, r := f.arrive("a", wide(1), queueset.Seated), f.arrive("b", wide(1), queueset.Seated)
				f.set.Finish(r)
				f.requireMisuse(r, 1)
				assert.Equal(t, queueset.Seated, f.set.Arrive(r), "the request may be used again")
				f.set.Finish(r)
				f.set.Finish(other)
				f.requireMisuse(f.request("c", wide(1)), 0)
			})
		}
	}
	f := newFixture(t, queues(1, 1, 1), 2)
	f.arrive("a", wide(1), queueset.Seated)
	held := f.arrive("a", wide(1), queueset.Seated)
	waiting := f.arrive("a", wide(1), queueset.Waiting)
	f.requireMisuse(waiting, 2)
	f.requireMisuse(f.arrive("a", wide(1), queueset.Rejected), 2)
	assert.True(t, f.set.Leave(waiting, stats.Cancelled))
	f.requireMisuse(waiting, 2)
	f.set.Finish(held)
}
