package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// both runs a benchmark on both engines, the peer first.
func both(b *testing.B, run func(b *testing.B, h handler)) {
	levels, schemas := builtIn()
	b.Run("peer", func(b *testing.B) { run(b, handlerOf(start(b, newPeer, levels, schemas))) })
	b.Run("ours", func(b *testing.B) { run(b, handlerOf(start(b, newOurs, levels, schemas))) })
}

func BenchmarkUncontended(b *testing.B) {
	both(b, func(b *testing.B, h handler) {
		digest := digestOf("alice", "system:authenticated")
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			h(ctx, digest, func() {})
		}
	})
}

func BenchmarkUncontendedParallel(b *testing.B) {
	both(b, func(b *testing.B, h handler) {
		var users atomic.Int64
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			digest := digestOf(fmt.Sprint("user", users.Add(1)), "system:authenticated")
			ctx := context.Background()
			for pb.Next() {
				h(ctx, digest, func() {})
			}
		})
	})
}

func BenchmarkExempt(b *testing.B) {
	both(b, func(b *testing.B, h handler) {
		digest := digestOf("admin", "system:masters", "system:authenticated")
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			h(ctx, digest, func() {})
		}
	})
}

// BenchmarkSaturated has 512 goroutines compete for about 60 seats. A request
// that executes yields, so that there are others to wait for.
func BenchmarkSaturated(b *testing.B) {
	both(b, func(b *testing.B, h handler) {
		const goroutines = 512
		b.ReportAllocs()
		var left atomic.Int64
		left.Store(int64(b.N))
		var running sync.WaitGroup
		for i := range goroutines {
			running.Go(func() {
				digest := digestOf(fmt.Sprint("user", i), "system:authenticated")
				ctx := context.Background()
				for left.Add(-1) >= 0 {
					h(ctx, digest, runtime.Gosched)
				}
			})
		}
		running.Wait()
	})
}

// BenchmarkManyFlows saturates a level of many queues with many flows, and one
// of few.
func BenchmarkManyFlows(b *testing.B) {
	for _, size := range []struct{ queues, flows int }{{128, 512}, {128, 100000}, {1000, 512}, {1000, 100000}} {
		b.Run(fmt.Sprintf("%dqueues,%dflows", size.queues, size.flows), func(b *testing.B) {
			e := engine.New(clock.NewReal(), runtime.GOMAXPROCS(0), 60)
			c := large(1, 1, 0)
			c.Total = 60
			c.Levels[0].Queues, c.Levels[0].QueueLengthLimit = size.queues, 1000
			c.Schemas[0].Rules[0].Subjects = []classify.Subject{{Kind: classify.User, Name: "*"}}
			e.Apply(c)
			users := make([]string, size.flows)
			for i := range users {
				users[i] = fmt.Sprint("user", i)
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			var running sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range 512 {
				running.Go(func() {
					for n := left.Add(-1); n >= 0; n = left.Add(-1) {
						t := e.Begin()
						t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = users[n*7919%int64(size.flows)], "get", "pods", true
						t.Classify()
						if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
							runtime.Gosched()
							t.Finish()
						}
						t.End()
					}
				})
			}
			running.Wait()
		})
	}
}
