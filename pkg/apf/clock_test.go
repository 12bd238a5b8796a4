package apf_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// clockedServer is a server of 20 seats on a fake clock. Requests of the users lender and borrower
// are on levels of the same names, with 15 and 5 seats.
type clockedServer struct {
	*server
	clock *testingclock.FakeClock
}

func runOnFakeClock(t *testing.T, control total.Options) *clockedServer {
	t.Helper()
	fake := testingclock.NewFakeClock(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	s := &clockedServer{clock: fake, server: newServer(t, apf.Config{Total: 20, TotalControl: control, Sampler: slowMachine{}, Clock: fake})}
	s.apply(t, levelObjects{levelWithQueues("lender", 30), levelWithQueues("borrower", 10), levelWithoutQueues("catch-all", 0)},
		schemaOf("lender", "lender"), schemaOf("borrower", "borrower"))
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.Run(stop)) })
	t.Cleanup(func() {
		close(stop)
		running.Wait()
	})
	return s
}

func (s *clockedServer) borrower() engine.LevelReport {
	for _, level := range s.Engine().Levels() {
		if level.Config.Name == "borrower" {
			return level
		}
	}
	return engine.LevelReport{}
}

// hold starts requests that execute until release is called, which waits for their end.
func (s *clockedServer) hold(name string, n int) (release func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	for range n {
		running.Go(func() { s.handle(context.Background(), digestOf(name), func() { <-done }) })
	}
	return func() {
		close(done)
		running.Wait()
	}
}

func TestFakeClockDrivesBorrowing(t *testing.T) {
	s := runOnFakeClock(t, total.Options{})
	require.Equal(t, 5, s.borrower().Limits.Nominal)
	release := s.hold("borrower", 15)
	defer release()
	eventually.Holds(t, "the requests wait that exceed the limit", func(a *eventually.Attempt) {
		figures := s.borrower().Figures
		require.Equal(a, 15, figures.Waiting+figures.Executing)
	})
	before := s.borrower().Figures
	require.Less(t, before.Executing, 15)
	eventually.Holds(t, "the level borrows what its requests need", func(a *eventually.Attempt) {
		s.clock.Step(10 * time.Second)
		require.Equal(a, 15, s.borrower().Figures.Executing)
	})
}

func TestFakeClockDrivesTheTotal(t *testing.T) {
	s := runOnFakeClock(t, total.Options{Mode: total.Adaptive})
	release := s.hold("lender", 15)
	defer release()
	eventually.Holds(t, "the total follows the slow machine", func(a *eventually.Attempt) {
		s.clock.Step(time.Second)
		require.Less(a, s.Engine().Total(), 20)
	})
	assert.Equal(t, s.Engine().Total(), s.TotalStatus().InEffect)
}

func TestFakeClockMeasuresWaiting(t *testing.T) {
	s := runOnFakeClock(t, total.Options{})
	seats := s.borrower().Seats.Current
	release := s.hold("borrower", seats)
	eventually.Holds(t, "all seats are taken", func(a *eventually.Attempt) {
		require.Equal(a, seats, s.borrower().Figures.SeatsInUse)
	})
	waiter := s.hold("borrower", 1)
	eventually.Holds(t, "a request waits", func(a *eventually.Attempt) {
		require.Equal(a, 1, s.borrower().Figures.Waiting)
	})
	s.clock.Step(3 * time.Second)
	release()
	waiter()
	for _, series := range s.Engine().Report().Series {
		assert.InDelta(t, 3, series.WaitAdmitted.Sum, 0, "seconds, of all requests together")
	}
}

// The seats of a write that many watch are held for a time after it.
func TestFakeClockEndsTheAdditionalLatency(t *testing.T) {
	s := runOnFakeClock(t, total.Options{})
	for range 3 {
		s.Handle(t.Context(), digestOf("lender"),
			func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
			func() fcrequest.WorkEstimate {
				return fcrequest.WorkEstimate{InitialSeats: 1, FinalSeats: 4, AdditionalLatency: time.Minute}
			},
			func(bool) {}, func() {})
		require.Equal(t, 4, s.seatsInUse())
		s.clock.Step(time.Minute)
		eventually.Holds(t, "the seats are free", func(a *eventually.Attempt) { require.Zero(a, s.seatsInUse()) })
	}
}
