package simulate_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// endless is a trace of 1,000 requests a second of 50 users, made while it is read.
type endless struct {
	left, sent int
	requests   []trace.Request
}

func newEndless(count int) *endless {
	e := &endless{left: count}
	for i := range 50 {
		user := fmt.Sprintf("system:serviceaccount:team-%d:robot", i)
		r := get(user, 0, time.Duration(1+i%20)*5*time.Millisecond)
		r.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"}
		r.Seats = &trace.Seats{Initial: uint64(1 + i%3)}
		r.Wait = &metav1.Duration{}
		e.requests = append(e.requests, r)
	}
	return e
}

// Read implements simulate.Source. The rate doubles for ten seconds of each minute, so that
// requests wait.
func (e *endless) Read(into *trace.Request) error {
	if e.left == 0 {
		return io.EOF
	}
	e.left--
	*into = e.requests[e.sent%len(e.requests)]
	into.Arrival = start().Add(time.Duration(e.sent) * time.Millisecond)
	if e.sent/10_000%6 == 0 {
		into.Execution = &metav1.Duration{Duration: 2 * into.Execution.Duration}
	}
	e.sent++
	return nil
}

func (e *endless) Header() trace.Header { return trace.Header{Requests: int64(e.left)} }
func (*endless) Close() error           { return nil }

// BenchmarkRequest takes a request through a simulation. A day of 1,000 requests a second
// has 86,400,000 of them: within 10 minutes, each may take 6.9 µs.
func BenchmarkRequest(b *testing.B) {
	for _, engine := range engines() {
		b.Run(string(engine), func(b *testing.B) {
			b.ReportAllocs()
			options := simulate.Options{Engine: engine, Open: func() (simulate.Source, error) { return newEndless(b.N), nil }}
			r := run(b, options, builtIn(b, "built-in", 600)).Results[0]
			b.ReportMetric(float64(r.Waited)/float64(b.N), "waited/op")
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB")
		})
	}
}
