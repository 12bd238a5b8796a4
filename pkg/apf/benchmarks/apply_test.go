package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// large returns a configuration of so many levels and schemas. Variants differ
// in all levels.
func large(levels, schemas, variant int) engine.Configuration {
	c := engine.Configuration{Total: 20 * levels}
	for i := range levels {
		c.Levels = append(c.Levels, prioritylevel.Config{
			Name:   fmt.Sprint("level", i),
			Config: queueset.Config{Discipline: queueset.Queue, Queues: 64 + variant, HandSize: 6, QueueLengthLimit: 50},
			Share:  allocation.Share{Shares: int32(10 + (i+variant)%7), LendablePercent: 50},
		})
	}
	for i := range schemas {
		c.Schemas = append(c.Schemas, engine.Schema{Schema: classify.Schema{
			Name: fmt.Sprint("schema", i), Level: fmt.Sprint("level", i%levels), Precedence: int32(1000 + i%1000), Distinguisher: classify.ByUser,
			Rules: []classify.Rule{{
				Subjects: []classify.Subject{{Kind: classify.User, Name: fmt.Sprint("user", i)}, {Kind: classify.Group, Name: fmt.Sprint("team", i%100)}},
				ResourceRules: []classify.ResourceRule{{
					Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"", "apps"}, Resources: []string{"pods", "deployments"}, Namespaces: []string{"*"}, ClusterScope: true,
				}},
			}},
		}})
	}
	return c
}

// BenchmarkApply applies a configuration in which every level has changed,
// while requests come, and reports how long the slowest of them took.
func BenchmarkApply(b *testing.B) {
	e := engine.New(clock.NewReal(), runtime.GOMAXPROCS(0), 600)
	variants := []engine.Configuration{large(500, 10000, 0), large(500, 10000, 1)}
	e.Apply(variants[1])
	stop := make(chan struct{})
	times := make(chan []time.Duration)
	go func() {
		var all []time.Duration
		for {
			select {
			case <-stop:
				times <- all
				return
			default:
			}
			begin := time.Now()
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = "user77", "get", "pods", true
			t.Classify()
			if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
				t.Finish()
			}
			t.End()
			all = append(all, time.Since(begin))
			runtime.Gosched()
		}
	}()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if problems := e.Apply(variants[n%2]); len(problems) > 0 {
			b.Fatal(problems)
		}
		n++
	}
	b.StopTimer()
	close(stop)
	all := <-times
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)-1].Microseconds()), "us-slowest-request")
	b.ReportMetric(float64(all[len(all)-1-len(all)/10000].Microseconds()), "us-p99.99")
	b.ReportMetric(float64(len(all))/float64(n), "requests/apply")
}

// BenchmarkIdleLevel reports the memory of a level that nobody uses, and of one
// that was used and is idle again.
func BenchmarkIdleLevel(b *testing.B) {
	for b.Loop() {
		const levels = 500
		before := heap()
		e := engine.New(clock.NewReal(), runtime.GOMAXPROCS(0), 600)
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
	tickets := make(chan *engine.Ticket, crowd)
	for range crowd {
		go func() {
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = user, "get", "pods", true
			t.Classify()
			if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
				t.Finish()
			}
			tickets <- t
		}()
	}
	for range crowd {
		(<-tickets).End()
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkWaitingRequest reports the memory of a request that waits, without
// the stack of its goroutine.
func BenchmarkWaitingRequest(b *testing.B) {
	const crowd = 20000
	for b.Loop() {
		e := engine.New(clock.NewReal(), runtime.GOMAXPROCS(0), 600)
		c := large(1, 1, 0)
		c.Total = 1
		c.Levels[0].QueueLengthLimit = crowd
		e.Apply(c)
		before := heap()
		tickets := make([]*engine.Ticket, crowd)
		for i := range tickets {
			t := e.Begin()
			t.Attributes.User, t.Attributes.Verb, t.Attributes.Resource, t.Attributes.IsResourceRequest = "user0", "get", "pods", true
			t.Classify()
			t.Arrive(seats.Work{Initial: 1})
			tickets[i] = t
		}
		b.ReportMetric(float64(heap()-before)/crowd, "B/waiting")
		runtime.KeepAlive(tickets)
	}
}
