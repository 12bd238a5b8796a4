// The library's engine takes a goroutine for each request.

//go:build !race

package simulate_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// outcome is what the library's engine made of the requests of a flow.
type outcome struct {
	dispatched, waited, full, late int
	sum, most                      time.Duration
}

// outcomes are the outcomes of all flows; goroutines add to them.
type outcomes struct {
	mu    sync.Mutex // guards flows
	flows map[string]*outcome
}

func (o *outcomes) add(flow string, executed bool, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.flows[flow] == nil {
		o.flows[flow] = &outcome{}
	}
	of := o.flows[flow]
	switch {
	case executed:
		of.dispatched++
		of.sum += wait
		of.most = max(of.most, wait)
		if wait > 0 {
			of.waited++
		}
	case wait > 0:
		of.late++
	default:
		of.full++
	}
}

// serve sends a trace through the library's engine, controller included, in the virtual
// time of synctest. The engine divides the seats at the same times as a simulation.
func serve(t *testing.T, candidate simulate.Candidate, requests requests) map[string]*outcome {
	t.Helper()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	var objects []runtime.Object
	for _, l := range candidate.Configuration.PriorityLevels {
		objects = append(objects, l)
	}
	for _, s := range candidate.Configuration.FlowSchemas {
		objects = append(objects, s)
	}
	out := &outcomes{flows: map[string]*outcome{}}
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(objects...)
		factory := informers.NewSharedInformerFactory(client, time.Hour)
		engine := flowcontrol.New(factory, client.FlowcontrolV1(), candidate.Configuration.Total)
		stop, done := make(chan struct{}), make(chan error)
		factory.Start(stop)
		<-time.After(time.Second)
		begun := time.Now()
		go func() { done <- engine.Run(stop) }()
		// The seats are divided every 10 s from here on; requests come with a division.
		var all sync.WaitGroup
		for i := range requests {
			r := &requests[i]
			at := begun.Add(20*time.Second + r.Arrival.Sub(start()))
			if i == 0 {
				at = at.Add(time.Nanosecond) // after the division
			}
			<-time.After(time.Until(at))
			all.Go(func() { handle(engine, r, out) })
		}
		all.Wait()
		close(stop)
		require.NoError(t, <-done)
		factory.Shutdown()
	})
	return out.flows
}

func handle(engine flowcontrol.Interface, r *trace.Request, out *outcomes) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	digest := flowcontrol.RequestDigest{
		RequestInfo: &apirequest.RequestInfo{IsResourceRequest: true, Verb: r.Verb, APIVersion: r.APIVersion, Resource: r.Resource, Namespace: r.Namespace},
		User:        &user.DefaultInfo{Name: r.User, Groups: r.Groups},
	}
	work := fcrequest.WorkEstimate{InitialSeats: r.Seats.Initial, FinalSeats: r.Seats.Final, AdditionalLatency: r.Seats.AdditionalLatency.Duration}
	arrived, executed := time.Now(), false
	var wait time.Duration
	estimate := func() fcrequest.WorkEstimate { return work }
	engine.Handle(ctx, digest, func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {}, estimate, func(bool) {}, func() {
		executed, wait = true, time.Since(arrived)
		<-time.After(r.Execution.Duration)
	})
	if !executed {
		wait = time.Since(arrived)
	}
	out.add(r.User, executed, wait)
}

// Each request waits exactly as long in a simulation as with the library's engine and
// controller, and as many are rejected: also requests of levels that borrow and lend, with
// several seats, and with an additional latency.
func TestWaitsAreThoseOfTheLibrary(t *testing.T) {
	const until = 45 * time.Second
	of := func(name string, rate float64, execution time.Duration, seed uint64, seats trace.Seats, groups ...string) requests {
		out := poisson(name, rate, execution, until, seed)
		for i := range out {
			out[i].Groups = slices.Concat(groups, []string{"system:authenticated"})
			// No two ends are at the same time: the library has no order for these.
			out[i].Execution.Duration += time.Duration(7919*i + int(seed)*104_729)
			out[i].Seats = &seats
			if i%2 == 0 && seats.Final > 0 {
				out[i].Seats = &trace.Seats{Initial: seats.Initial}
			}
		}
		return out
	}
	late := trace.Seats{Initial: 1, Final: 2}
	late.AdditionalLatency.Duration = 5003 * time.Microsecond
	marker := get("marker", 0, time.Millisecond)
	marker.Seats = &trace.Seats{Initial: 1}
	requests := sorted(requests{marker},
		of("elephant", 250, 90*time.Millisecond, 1, trace.Seats{Initial: 1}),
		of("mouse", 5, 40*time.Millisecond, 2, trace.Seats{Initial: 1}),
		of("system:serviceaccount:a:b", 120, 100*time.Millisecond, 3, late, "system:serviceaccounts"),
		of("system:serviceaccount:c:d", 30, 200*time.Millisecond, 4, trace.Seats{Initial: 2}, "system:serviceaccounts"),
		of("system:node:n", 10, 30*time.Millisecond, 5, trace.Seats{Initial: 1}, "system:nodes"),
		of("admin", 20, 150*time.Millisecond, 6, trace.Seats{Initial: 1}, "system:masters"),
	)
	candidate := builtIn(t, "built-in", 60)
	options := requests.options()
	options.Engine, options.AfterRestart = simulate.Library, true
	result := run(t, options, candidate).Results[0]
	want := serve(t, candidate, requests)
	waited := 0
	for _, f := range result.Flows {
		if f.Distinguisher == "" || want[f.Distinguisher] == nil {
			continue // of a flow schema without flows, or a namespace
		}
		compareFlow(t, f.Distinguisher, want[f.Distinguisher], &f.Figures)
		waited += int(f.Waited)
	}
	assert.Greater(t, waited, 1000)
	total := outcome{}
	for _, o := range want {
		total.dispatched += o.dispatched
		total.waited += o.waited
		total.full += o.full
		total.late += o.late
		total.sum += o.sum
		total.most = max(total.most, o.most)
	}
	assert.Positive(t, total.full)
	compareFlow(t, "all requests", &total, &result.Figures)
}

func compareFlow(t *testing.T, name string, want *outcome, got *simulate.Figures) {
	t.Helper()
	mean := want.sum.Seconds() / float64(want.dispatched)
	assert.Equal(t,
		fmt.Sprintf("%d dispatched, %d waited, %d queue-full, %d time-out, at most %v, %.6f s on average", want.dispatched, want.waited, want.full, want.late, want.most, mean),
		fmt.Sprintf("%d dispatched, %d waited, %d queue-full, %d time-out, at most %v, %.6f s on average", got.Dispatched, got.Waited, got.RejectedBy["queue-full"], got.RejectedBy["time-out"],
			time.Duration(got.Wait.Max*float64(time.Second)+0.5), got.Wait.Mean), name)
}
