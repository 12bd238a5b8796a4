package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// BenchmarkIdleLevel reports the memory of an unused level, and of a level that
// is idle after use.
func BenchmarkIdleLevel(b *testing.B) {
	for b.Loop() {
		const levels = 500
		before := heap()
		e := engine.New(engine.Options{Total: 600})
		c := large(levels, levels, 0)
		e.Apply(c)
		b.ReportMetric(float64(heap()-before)/levels, "B/level-unused")
		for i := range levels {
			useOnce(e, fmt.Sprint("user", i))
		}
		b.ReportMetric(float64(heap()-before)/levels, "B/level-used")
		runtime.KeepAlive(e)
	}
}

func useOnce(e *engine.Engine, user string) {
	const crowd = 200
	requests := make(chan *engine.Request, crowd)
	for range crowd {
		go func() {
			t := requestBy(e, user)
			if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
				t.Finish()
			}
			requests <- t
		}()
	}
	for range crowd {
		(<-requests).End()
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkWaitingRequest reports the memory of a waiting request, without the stack of its goroutine.
func BenchmarkWaitingRequest(b *testing.B) {
	const crowd = 20000
	for b.Loop() {
		c := large(1, 1, 0)
		c.Levels[0].QueueLengthLimit = crowd
		e := alone(b, 1, c)
		requests := make([]*engine.Request, crowd)
		before := heap()
		for i := range requests {
			requests[i] = requestBy(e, "user0")
			requests[i].Arrive(seats.Work{Initial: 1})
		}
		b.ReportMetric(float64(heap()-before)/float64(crowd), "B/waiting")
		runtime.KeepAlive(requests)
	}
}
