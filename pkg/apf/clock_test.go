package apf_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// idleMachine is a machine that is not short of anything.
type idleMachine struct{}

func (idleMachine) Sample() total.Sample {
	return total.Sample{total.SchedulingLatency: {Value: 0.001}}
}

// A level of five seats borrows, the total rises since seats are short, and waits are measured, by the
// clock of the test alone.
func TestAFakeClockDrivesBorrowingAndTheTotalAndMeasuresWaits(t *testing.T) {
	fake := testingclock.NewFakeClock(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	s := newServer(t, apf.Config{Total: 20, TotalControl: total.Options{Mode: total.Adaptive}, Sampler: idleMachine{}, Clock: fake})
	s.apply(t, levelObjects{levelWithQueues("lender", 30), levelWithQueues("borrower", 10), levelWithoutQueues("catch-all", 0)},
		schemaOf("borrower", "borrower"))
	borrower := func() engine.LevelReport { return s.Engine().Levels()[0] }
	require.Equal(t, "borrower", borrower().Config.Name)
	require.Equal(t, 5, borrower().Limits.Nominal)
	stop, done := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.Run(stop)) })
	for range 15 {
		running.Go(func() { s.handle(context.Background(), digestOf("borrower"), func() { <-done }) })
	}
	eventually.Holds(t, "the requests wait that exceed the limit", func(a *eventually.Attempt) {
		figures := borrower().Figures
		require.Equal(a, 15, figures.Waiting+figures.Executing)
	})
	require.Less(t, borrower().Figures.Executing, 15)
	eventually.Holds(t, "the level borrows what its requests need, and the total rises", func(a *eventually.Attempt) {
		fake.Step(time.Second)
		require.Equal(a, 15, borrower().Figures.Executing)
		require.Greater(a, s.Engine().Total(), 20)
	})
	assert.GreaterOrEqual(t, s.Engine().Report().Series[0].WaitAdmitted.Sum, 10.0, "seconds")
	close(done)
	close(stop)
	running.Wait()
}
