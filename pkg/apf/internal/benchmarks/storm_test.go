package benchmarks

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// BenchmarkActiveFlows saturates a level of 64 queues and 60 seats: each goroutine is a flow of its
// own, or shares one of thirty with others.
func BenchmarkActiveFlows(b *testing.B) {
	for _, c := range []struct{ flows, goroutines int }{{30, 512}, {10_000, 10_000}} {
		b.Run(fmt.Sprint(c.flows), func(b *testing.B) {
			users := make([]string, c.flows)
			for i := range users {
				users[i] = fmt.Sprint("user", i)
			}
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

// BenchmarkWaitingFlows reports the memory of a waiting request without its goroutine's stack, where
// each of 3,200 is of another flow.
func BenchmarkWaitingFlows(b *testing.B) {
	const crowd = 3200
	for b.Loop() {
		c := large(1, 1, 0)
		c.Levels[0].Queues, c.Levels[0].HandSize, c.Levels[0].QueueLengthLimit = 64, 6, 500
		c.Schemas[0].Rules[0].Subjects = []rules.Subject{{Kind: rules.User, Name: "*"}}
		e := alone(b, 1, c)
		requests := make([]*engine.Request, crowd)
		users := make([]string, crowd)
		for i := range users {
			users[i] = fmt.Sprint("user", i)
		}
		before := heap()
		for i := range requests {
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = users[i], "get", "pods", true
			t.Classify()
			t.Arrive(seats.Work{Initial: 1})
			requests[i] = t
		}
		b.ReportMetric(float64(heap()-before)/crowd, "B/waiting")
		runtime.KeepAlive(requests)
	}
}
