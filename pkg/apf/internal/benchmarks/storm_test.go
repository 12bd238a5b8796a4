package benchmarks

import (
	"fmt"
	"testing"
)

// BenchmarkActiveFlows saturates a level of 64 queues and 60 seats: each goroutine is a flow of its
// own, or shares one of thirty with others.
func BenchmarkActiveFlows(b *testing.B) {
	for _, c := range []struct{ flows, goroutines int }{{30, 512}, {10_000, 10_000}} {
		b.Run(fmt.Sprint(c.flows), func(b *testing.B) {
			users := userNames(c.flows)
			e := levelOf(b, 64)
			var turns []float64
			crowdOf(e, c.goroutines, users, 0) // creates what is created only once
			for b.Loop() {
				turns = append(turns, crowdOf(e, c.goroutines, users, len(turns)))
			}
			b.ReportMetric(medianOf(turns), "ns-request")
			b.ReportMetric(0, "ns/op") // hides the time of all turns together
		})
	}
}
