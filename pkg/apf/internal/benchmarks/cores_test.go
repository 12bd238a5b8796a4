package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// BenchmarkCores measures the gain of more processors. It compares requests
// from one goroutine on one processor, from one goroutine on each of all
// processors, and the latter with a separate engine for each goroutine.
// Separate engines share nothing, so their gain is the machine's maximum. The
// three take turns within each iteration; the medians of the turns are
// reported.
func BenchmarkCores(b *testing.B) {
	levels, schemas := builtIn()
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	one := measured(b, newOurs, levels, schemas)
	shared, apart := make([]handler, processors), make([]handler, processors)
	for i := range processors {
		shared[i], apart[i] = one, measured(b, newOurs, levels, schemas)
	}
	cases := []struct {
		unit  string
		ways  []handler
		turns []float64
	}{{unit: "ns-one", ways: shared[:1]}, {unit: "ns-all", ways: shared}, {unit: "ns-apart", ways: apart}}
	for n := 0; b.Loop(); n++ {
		for i := range cases {
			c := &cases[(i+n)%len(cases)]
			c.turns = append(c.turns, sideBySide(c.ways))
		}
	}
	for _, c := range cases {
		b.ReportMetric(medianOf(c.turns), c.unit)
	}
	b.ReportMetric(0, "ns/op") // hides the time of all three together
}

// sideBySide sends requests each way from a goroutine on a separate processor.
// It returns the nanoseconds per request over all ways.
func sideBySide(ways []handler) float64 {
	const requests = 20000
	runtime.GOMAXPROCS(len(ways))
	var running sync.WaitGroup
	begin := time.Now()
	for i, handle := range ways {
		digest := digestOf(fmt.Sprint("user", i), "system:authenticated")
		running.Go(func() {
			ctx := context.Background()
			for range requests {
				handle(ctx, digest, func() {})
			}
		})
	}
	running.Wait()
	return float64(time.Since(begin)) / float64(requests*len(ways))
}
