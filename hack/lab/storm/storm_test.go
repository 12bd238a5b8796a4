package storm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/endpoints/request"
)

// storm is a row of the table.
type storm struct {
	name string
	// flows send so many requests each.
	flows, requests int
	// takes is the mean time of a request, patience is when a client leaves.
	takes, patience time.Duration
	// told says that the server knows when the client leaves.
	told bool
}

var storms = []storm{
	{"one flow of 6,000, 20 ms", 1, 6000, 20 * time.Millisecond, 5 * time.Second, false},
	{"30 flows of 200", 30, 200, 20 * time.Millisecond, 5 * time.Second, false},
	{"150 flows of 40", 150, 40, 20 * time.Millisecond, 5 * time.Second, false},
	{"the same, the server knows the deadline", 150, 40, 20 * time.Millisecond, 5 * time.Second, true},
	{"30 flows of 133, 200 ms", 30, 133, 200 * time.Millisecond, 10 * time.Second, false},
	{"100 flows of 40, 200 ms", 100, 40, 200 * time.Millisecond, 10 * time.Second, false},
	{"one flow of 200, 1 s, deadline 2 s", 1, 200, time.Second, 2 * time.Second, true},
}

const (
	seed        = 49
	steadyFlows = 500
	steadyLoad  = 0.65 // of what the seats can do
	before      = 10 * time.Second
	rise        = time.Second // all greedy requests are sent within it
	// window is the time over which the steady flows are at rest or not, and after is for how long
	// they are watched when the storm is over.
	window, after = 5 * time.Second, 15 * time.Second
	// A client that got no answer waits for firstBackoff, and twice as long each time, up to maxBackoff.
	firstBackoff, maxBackoff = time.Second, 5 * time.Second
)

// sent is the outcome of a request; at is when it was sent, since the start.
type sent struct {
	steady                       bool
	at, took, takes              time.Duration
	succeeded, rejected, useless bool
}

// run is a storm on one engine.
type run struct {
	storm
	server http.Handler
	start  time.Time

	mu  sync.Mutex // guards all
	all []sent
}

// blow runs the storm, and returns all that was sent and when the last greedy request succeeded.
func (s storm) blow(t *testing.T, engine string) (all []sent, end time.Duration) {
	t.Helper()
	runOn(t, engine, func(server http.Handler) {
		r := &run{storm: s, server: server, start: time.Now()}
		over := make(chan struct{})
		var steady, greedy sync.WaitGroup
		for i := range steadyFlows {
			steady.Go(func() { r.steady(i, over) })
		}
		<-time.After(before)
		for flow := range s.flows {
			template := requestOf(fmt.Sprintf("greedy-%d", flow))
			for i := range s.requests {
				greedy.Go(func() { r.greedy(template, rand.New(rand.NewPCG(uint64(flow+1), uint64(i)))) })
			}
		}
		greedy.Wait()
		end = time.Since(r.start)
		<-time.After(after)
		close(over)
		steady.Wait()
		all = r.all
	})
	return all, end
}

// steady sends the requests of a steady flow, until the run is over: one in each interval, at any time
// in it. So all together ask for the same from the beginning.
func (r *run) steady(flow int, over <-chan struct{}) {
	template, random := requestOf(fmt.Sprintf("steady-%d", flow)), rand.New(rand.NewPCG(seed, uint64(flow)))
	interval := time.Duration(float64(r.takes) * steadyFlows / (seats * steadyLoad))
	var sending sync.WaitGroup
	defer sending.Wait()
	for begins := time.Now(); ; begins = begins.Add(interval) {
		next := time.After(time.Until(begins) + time.Duration(random.Float64()*float64(interval)))
		select {
		case <-over:
			return
		case <-next:
			takes := around(r.takes, random)
			sending.Go(func() { r.send(template, takes, true) })
		}
	}
}

// greedy sends a request until it succeeds. Like client-go, it waits as long as it is told.
func (r *run) greedy(template *http.Request, random *rand.Rand) {
	<-time.After(time.Duration(random.Float64() * float64(rise)))
	backoff := firstBackoff
	for takes := around(r.takes, random); ; {
		a, left := r.send(template, takes, false)
		switch {
		case a.executed && !left:
			return
		case a.status == http.StatusTooManyRequests && !left:
			<-time.After(a.retryAfter())
		default:
			<-time.After(around(backoff, random))
			backoff = min(2*backoff, maxBackoff)
		}
	}
}

// around returns a time between half and one and a half of the mean.
func around(mean time.Duration, random *rand.Rand) time.Duration {
	return time.Duration((0.5 + random.Float64()) * float64(mean))
}

// send sends a request and reports whether its client left before the response.
func (r *run) send(template *http.Request, takes time.Duration, steady bool) (a *attempt, left bool) {
	a, start, timeout := &attempt{takes: takes, header: http.Header{}}, time.Now(), requestTimeout
	if r.told {
		timeout = r.patience
	}
	ctx, cancel := context.WithTimeout(context.WithValue(request.WithReceivedTimestamp(template.Context(), start), attemptKey{}, a), timeout)
	leaves := time.AfterFunc(r.patience, cancel)
	r.server.ServeHTTP(a, template.WithContext(ctx))
	leaves.Stop()
	cancel()
	took := time.Since(start)
	left = took >= r.patience
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, sent{
		steady: steady, at: start.Sub(r.start), took: took, takes: takes,
		succeeded: a.executed && !left, useless: a.executed && left, rejected: a.status == http.StatusTooManyRequests && !left,
	})
	return a, left
}
