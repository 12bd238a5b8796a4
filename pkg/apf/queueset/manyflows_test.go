package queueset_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestALevelOfManyFlowsThatWaitLosesItsSeatsAgainAndAgain(t *testing.T) {
	flows := lane.Pick(10_000, 100_000)
	seats := flows / 20
	f := newFixture(t, queues(flows, 1, 1), 0)
	var started []*queueset.Request
	for i := range flows {
		r := f.request(strconv.Itoa(i), wide(1))
		r.Decided = func() { started = append(started, r) }
		require.Equal(t, queueset.Waiting, f.set.Arrive(r))
	}
	f.arrive("one more", wide(1), queueset.Rejected)
	served := map[string]bool{}
	for f.set.Figures().Waiting > 0 {
		f.set.SetLimits(limits(seats)).Tell()
		require.Len(t, started, seats)
		f.set.SetLimits(limits(0)).Tell()
		f.clock.Advance(time.Second)
		executed := started
		started = nil
		for _, r := range executed {
			f.set.Finish(r)
			served[r.Flow] = true
		}
		require.Empty(t, started, "there is no seat")
	}
	assert.Len(t, served, flows)
	assert.True(t, f.set.Idle())
	assert.NoError(t, f.set.Inconsistency())
}
