package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/priority"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
)

const (
	seats   = 64
	waiting = 50_000
	flows   = 10_000
)

// acquire takes a seat for a flow.
type acquire func(flow string) (release func(), err error)

type rival struct {
	name string
	new  func(b *testing.B) acquire
}

var rivals = []rival{{"ours", newOurs}, {"semaphore", newSemaphore}, {"failsafe", newFailsafe}}

func newOurs(b *testing.B) acquire {
	l, err := limiter.New(limiter.Config{Seats: seats, MaxWaiting: 2 * waiting, MaxWaitingPerFlow: 2 * waiting})
	require.NoError(b, err)
	ctx := context.Background()
	return func(flow string) (func(), error) { return l.Acquire(ctx, limiter.Flow{Name: flow}, 1) }
}

// newSemaphore knows no flows.
func newSemaphore(*testing.B) acquire {
	s, ctx := semaphore.NewWeighted(seats), context.Background()
	release := func() { s.Release(1) }
	return func(string) (func(), error) { return release, s.Acquire(ctx, 1) }
}

// newFailsafe has a limit that does not adapt. Flows are users, who are rejected by what they used; as many
// may wait as here, so that none is.
func newFailsafe(b *testing.B) acquire {
	prioritizer := adaptivelimiter.NewPrioritizerBuilder().WithUsageTracker(priority.NewUsageTracker(time.Minute, flows)).Build()
	b.Cleanup(prioritizer.ScheduleCalibrations(context.Background(), time.Second))
	l := adaptivelimiter.NewBuilder[any]().WithLimits(seats, seats, seats).WithQueueing(2*waiting/seats, 2*waiting/seats).BuildPrioritized(prioritizer)
	ctx := context.Background()
	return func(flow string) (func(), error) {
		permit, err := l.AcquirePermit(priority.ContextWithUser(ctx, flow))
		if err != nil {
			return nil, err
		}
		return permit.Record, nil
	}
}

func each(b *testing.B, run func(b *testing.B, take acquire)) {
	for _, c := range rivals {
		b.Run(c.name, func(b *testing.B) {
			take := c.new(b)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, take)
		})
	}
}

func use(b *testing.B, take acquire, flow string, execute func()) {
	release, err := take(flow)
	if err != nil {
		b.Error(err)
		return
	}
	execute()
	release()
}

// flowNames returns the names of so many flows.
func flowNames(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("flow-", i)
	}
	return out
}

// BenchmarkUncontended takes a seat that is free, on each processor for another flow.
func BenchmarkUncontended(b *testing.B) {
	each(b, func(b *testing.B, take acquire) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				use(b, take, "flow", func() {})
			}
		})
	})
}

// compete lets goroutines send b.N requests, one at a time, of flows in turn.
func compete(b *testing.B, take acquire, goroutines int, of []string) {
	var running sync.WaitGroup
	for g := range goroutines {
		running.Go(func() {
			for i := g; i < b.N; i += goroutines {
				use(b, take, of[i%len(of)], runtime.Gosched)
			}
		})
	}
	running.Wait()
}

// BenchmarkManyFlows has 512 goroutines that send requests of 10,000 flows for 64 seats.
func BenchmarkManyFlows(b *testing.B) {
	of := flowNames(flows)
	each(b, func(b *testing.B, take acquire) { compete(b, take, 512, of) })
}

// BenchmarkManyWait lets 50,000 requests of 10,000 flows wait. The first one starts when all of
// them wait. The time is what a request takes from then on.
func BenchmarkManyWait(b *testing.B) {
	of := flowNames(flows)
	each(b, func(b *testing.B, take acquire) {
		for n := 0; n < b.N; n += waiting {
			b.StopTimer()
			var held []func()
			for range seats {
				release, err := take("held")
				require.NoError(b, err)
				held = append(held, release)
			}
			var running, arrived sync.WaitGroup
			arrived.Add(waiting)
			for i := range waiting {
				running.Go(func() {
					arrived.Done()
					use(b, take, of[i%flows], func() {})
				})
			}
			arrived.Wait()
			for range 100 { // nothing tells that the last ones wait
				runtime.Gosched()
			}
			b.StartTimer()
			for _, release := range held {
				release()
			}
			running.Wait()
		}
	})
}
