package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// both runs a benchmark on both engines, the peer first.
func both(b *testing.B, run func(b *testing.B, h handler)) {
	levels, schemas := builtIn()
	b.Run("peer", func(b *testing.B) { run(b, measured(b, newPeer, levels, schemas)) })
	b.Run("ours", func(b *testing.B) { run(b, measured(b, newOurs, levels, schemas)) })
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

// BenchmarkSaturated lets 512 goroutines compete for about 60 seats. An
// executing request yields, so that others wait.
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
