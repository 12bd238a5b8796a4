package benchmarks

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// large returns a configuration with the given numbers of levels and schemas.
// Variants differ in all levels.
func large(levels, schemas, variant int) engine.Configuration {
	c := engine.Configuration{}
	for i := range levels {
		c.Levels = append(c.Levels, engine.LevelConfig{
			Name:   fmt.Sprint("level", i),
			Config: queueset.Config{Discipline: queueset.Queue, Queues: 64 + variant, HandSize: 6, QueueLengthLimit: 50},
			Share:  allocation.Share{Shares: int32(10 + (i+variant)%7), LendablePercent: 50},
		})
	}
	for i := range schemas {
		c.Schemas = append(c.Schemas, rules.Schema{
			Name: fmt.Sprint("schema", i), Level: fmt.Sprint("level", i%levels), Precedence: int32(1000 + i%1000), Distinguisher: rules.ByUser,
			Rules: []rules.Rule{{
				Subjects: []rules.Subject{{Kind: rules.User, Name: fmt.Sprint("user", i)}, {Kind: rules.Group, Name: fmt.Sprint("team", i%100)}},
				ResourceRules: []rules.ResourceRule{{
					Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"", "apps"}, Resources: []string{"pods", "deployments"}, Namespaces: []string{"*"}, ClusterScope: true,
				}},
			}},
		})
	}
	return c
}

// BenchmarkApply applies a configuration where every level has changed, while
// requests are sent one at a time, and reports their durations. It measures
// two references: an unrelated goroutine that computes for the same time and
// allocates the same amount, and no other work. The delays in these cases are due
// to the scheduler, the garbage collector and the machine.
//
// Both Apply and the computation begin on a running thread. The operating
// system may put a thread that just woke up on the sender's processor, and
// moves one of the two only after 4 ms.
func BenchmarkApply(b *testing.B) {
	variants := []engine.Configuration{large(500, 10000, 0), large(500, 10000, 1)}
	e := alone(b, 20*500, variants[1]) // a scrape of 500 levels would be a load by itself
	s := startSender(e)
	var load unrelated
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var took time.Duration
		allocated := bytesOf(func() {
			begin := time.Now()
			s.during(applying, func() {
				if problems := e.Apply(variants[n%2]); len(problems) > 0 {
					b.Fatal(problems)
				}
			})
			took = time.Since(begin)
		})
		n++
		b.StopTimer()
		s.during(computing, func() { load.run(took, allocated) })
		s.during(idle, func() { <-time.After(took) })
		wakeUp()
		b.StartTimer()
	}
	b.StopTimer()
	s.stop()
	runtime.KeepAlive(load)
	for state, name := range map[state]string{applying: "applying", computing: "computing", idle: "idle"} {
		delays := s.delays[state]
		b.ReportMetric(medianOf(delays.slowest), "us-slowest-"+name)
		b.ReportMetric(delays.quantile(0.9999), "us-p99.99-"+name)
		b.ReportMetric(float64(delays.count)/float64(n), "requests-"+name)
	}
}

// wakeUp keeps a processor busy until the operating system has moved this
// thread to a separate processor.
func wakeUp() {
	for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
		runtime.Gosched()
	}
}

// unrelated is a computation that keeps its allocations until the next run, as
// the application of a configuration does.
type unrelated struct{ blocks [][]uint64 }

// run computes for the given time and allocates the given number of bytes,
// spread evenly.
func (u *unrelated) run(duration time.Duration, bytes uint64) {
	const words = 1024
	begin, x := time.Now(), uint64(1)
	blocks := make([][]uint64, 0, bytes/(8*words)+1)
	for elapsed := time.Duration(0); elapsed < duration; elapsed = time.Since(begin) {
		for uint64(len(blocks)) < uint64(float64(bytes)/(8*words)*min(1, float64(elapsed)/float64(duration))) {
			blocks = append(blocks, make([]uint64, words))
		}
		if len(blocks) == 0 {
			continue
		}
		for range words {
			x = x*6364136223846793005 + 1442695040888963407
			blocks[x>>40%uint64(len(blocks))][x>>33%words] += x
		}
	}
	u.blocks = blocks
}

func bytesOf(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
