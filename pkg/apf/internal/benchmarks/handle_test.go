package benchmarks

import (
	"context"
	"fmt"
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
