package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func newLimiter(t *testing.T, seats, waiting, perFlow int) *limiter.Limiter {
	t.Helper()
	l, err := limiter.New(limiter.Config{Seats: seats, MaxWaiting: waiting, MaxWaitingPerFlow: perFlow})
	require.NoError(t, err)
	return l
}

// take acquires seats that are free.
func take(t *testing.T, l *limiter.Limiter, f limiter.Flow, n int) (release func()) {
	t.Helper()
	release, err := l.Acquire(t.Context(), f, n)
	assert.NoError(t, err)
	return release
}

func requireUsage(t *testing.T, l *limiter.Limiter, waiting, inUse int) {
	t.Helper()
	w, u := l.Usage()
	require.Equal(t, [2]int{waiting, inUse}, [2]int{w, u})
}

func TestABadConfigurationIsAnError(t *testing.T) {
	for want, c := range map[string]limiter.Config{
		"-1 seats must not be negative":              {Seats: -1, MaxWaiting: 1, MaxWaitingPerFlow: 1},
		"MaxWaiting 0 and MaxWaitingPerFlow 1 must":  {Seats: 1, MaxWaitingPerFlow: 1},
		"MaxWaiting 1 and MaxWaitingPerFlow -1 must": {Seats: 1, MaxWaiting: 1, MaxWaitingPerFlow: -1},
		"must not exceed":                            {Seats: 1, MaxWaiting: math.MaxInt, MaxWaitingPerFlow: 1},
	} {
		_, err := limiter.New(c)
		assert.ErrorContains(t, err, want)
	}
}

func TestBadInputIsAnErrorAndTakesNoSeat(t *testing.T) {
	l := newLimiter(t, 2, 1, 1)
	for want, of := range map[string]struct {
		flow  limiter.Flow
		seats int
	}{
		"cannot acquire 0 seats":       {limiter.Flow{}, 0},
		"cannot acquire -3 seats":      {limiter.Flow{}, -3},
		`weights -1 and 0 of flow "a"`: {limiter.Flow{Name: "a", Weight: -1}, 1},
		`weights 0 and -1 of flow "b"`: {limiter.Flow{Name: "b", TenantWeight: -1}, 1},
	} {
		release, err := l.Acquire(t.Context(), of.flow, of.seats)
		assert.Nil(t, release)
		assert.ErrorContains(t, err, want)
		_, rejected := errors.AsType[*limiter.Rejection](err)
		assert.False(t, rejected)
	}
	requireUsage(t, l, 0, 0)
}

func TestAContextThatHasEndedCostsNothing(t *testing.T) {
	l := newLimiter(t, 1, 1, 1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Acquire(gone, limiter.Flow{Name: "a"}, 1)
	assert.Equal(t, context.Canceled, err, "although a seat is free")
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err = l.Acquire(late, limiter.Flow{Name: "a"}, 1)
	assert.Equal(t, context.DeadlineExceeded, err)
	requireUsage(t, l, 0, 0)
}

func TestAContextThatEndsWhileARequestWaitsIsTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, 1, 4, 4)
		first := take(t, l, limiter.Flow{Name: "a"}, 1)
		<-time.After(time.Second)
		first()
		release := take(t, l, limiter.Flow{Name: "a"}, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := l.Acquire(ctx, limiter.Flow{Name: "b"}, 1)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		r, rejected := errors.AsType[*limiter.Rejection](err)
		require.True(t, rejected)
		assert.Equal(t, queueset.TimeOut, r.Reason)
		assert.Positive(t, r.RetryAfter)
		assert.ErrorContains(t, err, "no seats: time-out; retry after ")

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = l.Acquire(ctx, limiter.Flow{Name: "b"}, 1)
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualError(t, err, "no seats: cancelled")
		requireUsage(t, l, 0, 1)
		release()
		requireUsage(t, l, 0, 0)
	})
}

func TestAFlowOfWhichEnoughWaitIsRejectedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, 1, 4, 1)
		first := take(t, l, limiter.Flow{Name: "a"}, 1)
		<-time.After(time.Second)
		first()
		release := take(t, l, limiter.Flow{Name: "a"}, 1)
		go func() { take(t, l, limiter.Flow{Name: "a"}, 1)() }()
		synctest.Wait()
		_, err := l.Acquire(t.Context(), limiter.Flow{Name: "a"}, 1)
		r, rejected := errors.AsType[*limiter.Rejection](err)
		require.True(t, rejected, "%v", err)
		assert.Equal(t, queueset.QueueFull, r.Reason)
		assert.Positive(t, r.RetryAfter)
		assert.NoError(t, r.Unwrap())
		release()
	})
}

// Each of these was the flow of another, if names were only joined.
func TestFlowsOfTwoTenantsAreNeverOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flows := []limiter.Flow{
			{Name: "b"}, {Tenant: "a", Name: "b"}, {Tenant: "ab"}, {Name: "1:ab"}, {Name: "ab"},
			{Tenant: "a", Name: "1:b"}, {Tenant: "a1:", Name: "b"}, {Name: strings.Repeat("x", 1000)}, {},
		}
		l := newLimiter(t, 1, len(flows), 1)
		release := take(t, l, limiter.Flow{Name: "other"}, 1)
		for _, f := range flows {
			go func() { take(t, l, f, 1)() }()
		}
		synctest.Wait()
		requireUsage(t, l, len(flows), 1)
		release()
		synctest.Wait()
		requireUsage(t, l, 0, 0)
	})
}

func TestASecondReleasePanicsAndTakesNothingFromOthers(t *testing.T) {
	l := newLimiter(t, 2, 1, 1)
	release := take(t, l, limiter.Flow{Name: "a"}, 1)
	release()
	other := take(t, l, limiter.Flow{Name: "b"}, 2) // may use the memory of the first
	assert.PanicsWithValue(t, "limiter: release called twice; call it once for each Acquire that returned it", release)
	requireUsage(t, l, 0, 2)
	other()
	requireUsage(t, l, 0, 0)
}

// Seats that are never released are lost, and others are rejected when their time is over.
func TestSeatsThatAreNotReleasedStayInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, 1, 4, 4)
		take(t, l, limiter.Flow{Name: "a"}, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		_, err := l.Acquire(ctx, limiter.Flow{Name: "b"}, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		l.SetSeats(2)
		take(t, l, limiter.Flow{Name: "b"}, 1)()
		requireUsage(t, l, 0, 1)
	})
}

func TestARequestWiderThanTheSeatsRunsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, 2, 4, 4)
		release := take(t, l, limiter.Flow{Name: "a"}, 1)
		wide := make(chan func())
		go func() { wide <- take(t, l, limiter.Flow{Name: "b"}, 5) }()
		synctest.Wait()
		requireUsage(t, l, 1, 1)
		release()
		(<-wide)()
		requireUsage(t, l, 0, 0)
	})
}

// compete lets flows ask always, with ten requests of a second each, for so long on a seat. It returns how many each was served.
func compete(t *testing.T, lasts time.Duration, flows ...func(n int) limiter.Flow) (served []int) {
	l := newLimiter(t, 1, 1000, 100)
	served = make([]int, len(flows))
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range flows {
		for thread := range 10 {
			clients.Go(func() {
				for n := thread; ; n += 10 {
					release, err := l.Acquire(ctx, flows[i](n), 1)
					if err != nil {
						return
					}
					<-time.After(time.Second)
					served[i]++ // one at a time
					release()
				}
			})
		}
	}
	<-time.After(lasts)
	cancel()
	clients.Wait()
	return served
}

func TestWeightsShareTheSeats(t *testing.T) {
	constant := func(f limiter.Flow) func(int) limiter.Flow { return func(int) limiter.Flow { return f } }
	for name, of := range map[string]struct {
		first, second func(int) limiter.Flow
		part          float64 // of the first
	}{
		"zero is one":           {constant(limiter.Flow{Name: "a"}), constant(limiter.Flow{Name: "b", Weight: 1}), 1. / 2},
		"three to one":          {constant(limiter.Flow{Name: "a", Weight: 3}), constant(limiter.Flow{Name: "b"}), 3. / 4},
		"tenants, three to one": {constant(limiter.Flow{Tenant: "a", TenantWeight: 3, Weight: 1}), constant(limiter.Flow{Tenant: "b", Weight: 9}), 3. / 4},
		"huge":                  {constant(limiter.Flow{Name: "a", Weight: math.MaxInt}), constant(limiter.Flow{Name: "b", Weight: math.MaxInt}), 1. / 2},
		"other ones each time":  {func(n int) limiter.Flow { return limiter.Flow{Name: "a", Weight: 1 + n%7} }, func(n int) limiter.Flow { return limiter.Flow{Name: "b", Weight: 1 + n%7} }, 1. / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := compete(t, 400*time.Second, of.first, of.second)
				assert.GreaterOrEqual(t, served[0]+served[1], 398, "no time is lost")
				assert.InDelta(t, of.part, float64(served[0])/float64(served[0]+served[1]), .05, "%v", served)
			})
		})
	}
}

// The flow has ten shares, and so have the ten requests together that are in flight beside it. Each of these is of a flow or a
// tenant that was not seen before. No arrivals leave a flow less than .7 of its part.
func TestNamesThatAreMadeUpWithEachRequestLeaveAFlowItsPart(t *testing.T) {
	for name, of := range map[string]struct {
		first  limiter.Flow
		madeUp func(int) limiter.Flow
	}{
		"flows":   {limiter.Flow{Name: "a", Weight: 10}, func(n int) limiter.Flow { return limiter.Flow{Name: fmt.Sprint("made up ", n)} }},
		"tenants": {limiter.Flow{Tenant: "a", TenantWeight: 10}, func(n int) limiter.Flow { return limiter.Flow{Tenant: fmt.Sprint("made up ", n)} }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := compete(t, 400*time.Second, func(int) limiter.Flow { return of.first }, of.madeUp)
				assert.GreaterOrEqual(t, served[0], 400*7/10/2, "%v", served)
			})
		})
	}
}
