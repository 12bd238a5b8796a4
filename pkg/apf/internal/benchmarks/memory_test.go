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
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = user, "get", "pods", true
			t.Classify()
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

// BenchmarkWaitingRequest reports the memory of a waiting request without its
// goroutine's stack.
func BenchmarkWaitingRequest(b *testing.B) {
	const crowd = 20000
	for b.Loop() {
		e := engine.New(engine.Options{Total: 1})
		c := large(1, 1, 0)
		c.Levels[0].QueueLengthLimit = crowd
		e.Apply(c)
		before := heap()
		requests := make([]*engine.Request, crowd)
		for i := range requests {
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = "user0", "get", "pods", true
			t.Classify()
			t.Arrive(seats.Work{Initial: 1})
			requests[i] = t
		}
		b.ReportMetric(float64(heap()-before)/crowd, "B/waiting")
		runtime.KeepAlive(requests)
	}
}
