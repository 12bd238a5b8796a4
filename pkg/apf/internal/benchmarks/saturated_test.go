package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// saturate lets 512 goroutines, each of another user, compete for about 60 seats until they have
// sent this number of requests. What executes them must yield, so that others wait.
func saturate(requests int, h handler, execute func()) {
	const goroutines = 512
	var left atomic.Int64
	left.Store(int64(requests))
	var running sync.WaitGroup
	for i := range goroutines {
		running.Go(func() {
			digest := digestOf(fmt.Sprint("user", i), "system:authenticated")
			ctx := context.Background()
			for left.Add(-1) >= 0 {
				h(ctx, digest, execute)
			}
		})
	}
	running.Wait()
}

func BenchmarkSaturated(b *testing.B) {
	both(b, func(b *testing.B, h handler) {
		b.ReportAllocs()
		saturate(b.N, h, runtime.Gosched)
	})
}

// BenchmarkSaturatedCores measures whether a saturated level serves more or fewer requests
// with more processors. A channel with as many places takes the place of the engine for
// comparison: what it loses is lost to the Go scheduler. Requests do nothing, or compute for
// 20 µs (a get costs the server 350). The cases take turns within each iteration; the
// medians of the turns are reported.
func BenchmarkSaturatedCores(b *testing.B) {
	levels, schemas := builtIn()
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	ours := measured(b, newOurs, levels, schemas)
	places := make(chan struct{}, 60)
	channel := func(_ context.Context, _ flowcontrol.RequestDigest, execute func()) {
		places <- struct{}{}
		execute()
		<-places
	}
	cases := []struct {
		unit       string
		processors int
		handle     handler
		requests   int
		execute    func()
		turns      []float64
	}{
		{unit: "ns-one", processors: 1, handle: ours, requests: 50_000, execute: runtime.Gosched},
		{unit: "ns-all", processors: processors, handle: ours, requests: 50_000, execute: runtime.Gosched},
		{unit: "ns-channel-one", processors: 1, handle: channel, requests: 50_000, execute: runtime.Gosched},
		{unit: "ns-channel-all", processors: processors, handle: channel, requests: 50_000, execute: runtime.Gosched},
		{unit: "ns-work-one", processors: 1, handle: ours, requests: 10_000, execute: work},
		{unit: "ns-work-all", processors: processors, handle: ours, requests: 10_000, execute: work},
	}
	for n := 0; b.Loop(); n++ {
		for i := range cases {
			c := &cases[(i+n)%len(cases)]
			runtime.GOMAXPROCS(c.processors)
			begin := time.Now()
			saturate(c.requests, c.handle, c.execute)
			c.turns = append(c.turns, float64(time.Since(begin))/float64(c.requests))
		}
	}
	for _, c := range cases {
		b.ReportMetric(medianOf(c.turns), c.unit)
	}
	b.ReportMetric(0, "ns/op") // hides the time of all together
}

// work computes for 20 µs, and yields in the middle.
func work() {
	compute := func() {
		for begin := time.Now(); time.Since(begin) < 10*time.Microsecond; {
		}
	}
	compute()
	runtime.Gosched()
	compute()
}
