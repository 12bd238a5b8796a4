package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// BenchmarkManyFlows saturates a level of many queues and a level of few queues
// with the same flows. The two take turns within each iteration; the medians of
// the turns are reported.
func BenchmarkManyFlows(b *testing.B) {
	for _, flows := range []int{512, 100000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
			users := userNames(flows)
			sizes := []int{128, 1000}
			engines := []*engine.Engine{levelOf(b, sizes[0]), levelOf(b, sizes[1])}
			turns := make([][]float64, len(engines))
			var allocations uint64
			for _, e := range engines { // creates what is created only once
				crowd(e, users, 0)
			}
			n := 0
			turn := func(i int) {
				mallocs := mallocsOf(func() { turns[i] = append(turns[i], crowd(engines[i], users, n)) })
				if sizes[i] == 1000 {
					allocations += mallocs
				}
			}
			for b.Loop() {
				for range turnsPerIteration {
					turn(n % 2)
					turn((n + 1) % 2)
					n++
				}
			}
			for i, size := range sizes {
				b.ReportMetric(medianOf(turns[i]), fmt.Sprintf("ns-%dqueues", size))
			}
			b.ReportMetric(float64(allocations)/float64(n*requestsPerTurn), "allocs/op")
			b.ReportMetric(0, "ns/op") // hides the time of both together
		})
	}
}

// levelOf returns an engine with one level of the given number of queues and 60
// seats.
func levelOf(b *testing.B, queues int) *engine.Engine {
	b.Helper()
	c := large(1, 1, 0)
	c.Levels[0].Queues, c.Levels[0].QueueLengthLimit = queues, 1000
	c.Schemas[0].Rules[0].Subjects = []rules.Subject{{Kind: rules.User, Name: "*"}}
	return directly(b, 60, c)
}

const requestsPerTurn = 20000

// turnsPerIteration is the minimum number of turns. Fewer turns give medians
// that vary by more than the difference of the two.
const turnsPerIteration = 15

// crowd sends the requests of a turn from 512 goroutines, for all users in
// turn. It returns the nanoseconds per request.
func crowd(e *engine.Engine, users []string, turn int) float64 {
	var left atomic.Int64
	left.Store(requestsPerTurn)
	first := int64(turn * requestsPerTurn)
	var running sync.WaitGroup
	begin := time.Now()
	for range 512 {
		running.Go(func() {
			for n := left.Add(-1); n >= 0; n = left.Add(-1) {
				t := requestBy(e, users[(first+n)*7919%int64(len(users))])
				if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
					runtime.Gosched()
					t.Finish()
				}
				t.End()
			}
		})
	}
	running.Wait()
	return float64(time.Since(begin)) / requestsPerTurn
}

func mallocsOf(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
