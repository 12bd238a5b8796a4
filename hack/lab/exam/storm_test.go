package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// storm is a row of the table of storms, which says more of the engines than the exam: what steady clients get before, during
// and after a storm, and what is done for nobody.
//
// A level has 20 seats, 64 queues of 50 requests and hands of 6. 500 steady flows ask together
// for 65 % of what its seats can do, each for less than its max-min share. A request takes its
// mean time plus or minus up to a half. Steady clients do not try again. After 10 s the greedy
// flows send all their requests in a second, and try each until it succeeds: after Retry-After if
// it was rejected, else after a backoff. Clients leave when their patience ends. What executes
// then keeps its seats to its end, as most handlers do.
type storm struct {
	name string
	// flows send so many requests each.
	flows, requests int
	// takes is the mean time of a request, patience is when a client leaves.
	takes, patience time.Duration
	// told says that the server knows when the client leaves.
	told bool
	// succeed and goodput are the least parts of the steady requests and of the seats' time, with this engine.
	succeed, goodput float64
}

var storms = []storm{
	{"one flow of 6,000, 20 ms", 1, 6000, 20 * time.Millisecond, 5 * time.Second, false, 0.995, 0.955},
	{"30 flows of 200", 30, 200, 20 * time.Millisecond, 5 * time.Second, false, 0.995, 0.955},
	{"150 flows of 40", 150, 40, 20 * time.Millisecond, 5 * time.Second, false, 0.995, 0.955},
	{"the same, the server knows the deadline", 150, 40, 20 * time.Millisecond, 5 * time.Second, true, 0.995, 0.955},
	{"30 flows of 133, 200 ms", 30, 133, 200 * time.Millisecond, 10 * time.Second, false, 0.995, 0.955},
	{"100 flows of 40, 200 ms", 100, 40, 200 * time.Millisecond, 10 * time.Second, false, 0.995, 0.955},
	// From run to run .94 to .96 and 98.8 to 100 %: a request takes half of the deadline.
	{"one flow of 200, 1 s, deadline 2 s", 1, 200, time.Second, 2 * time.Second, true, 0.98, 0.93},
}

// engineOf are the columns' sides.
var engineOf = []traffic.Engine{traffic.Library, traffic.Ours}

const (
	seed        = 49
	steadyFlows = 500
	steadyLoad  = 0.65 // of what the seats can do
	before      = 10 * time.Second
	rise        = time.Second // all greedy requests are sent within it
	// window is the time over which the steady flows are at rest or not, and watched is for how long
	// they are watched when the storm is over.
	window, watched = 5 * time.Second, 15 * time.Second
)

// greedy clients try until they are served. One that got no answer waits with backoff.
var untilServed = traffic.Retry{Tries: math.MaxInt, Backoff: time.Second, MaxBackoff: 5 * time.Second}

// numbered return the users of a flow.
func numbered(format string, count int) (users []traffic.User) {
	for i := range count {
		users = append(users, traffic.User{Name: fmt.Sprintf(format, i)})
	}
	return users
}

// prices is what all users ask for.
const prices = "/api/v1/namespaces/shop/configmaps/prices"

// ask is a request of the storm.
func (s storm) ask(int) traffic.Request {
	if s.told {
		return traffic.Request{Path: prices + "?timeout=" + s.patience.String()}
	}
	return traffic.Request{Path: prices}
}

// blow runs the storm. It returns all that was sent, when the last greedy request was served, what the server did, and
// how much of it was useful during the storm.
func (s storm) blow(t *testing.T, engine traffic.Engine) (all measurement.Samples, end time.Duration, work *traffic.Work, useful time.Duration) {
	t.Helper()
	work = traffic.NewWork(s.takes, seed)
	traffic.RunEngine(t, engine, work, func(t *testing.T, server http.Handler) {
		start, target := time.Now(), traffic.TargetIn(server)
		interval := time.Duration(float64(s.takes) * steadyFlows / (traffic.Seats * steadyLoad))
		steady := traffic.Flow{Name: "steady", Users: numbered("steady-%d", steadyFlows), Every: interval, Seed: seed, Ask: s.ask, Patience: s.patience}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var running sync.WaitGroup
		running.Go(func() { all, _ = traffic.Load{Flows: []traffic.Flow{steady}}.Run(ctx, target) }) // without a rate there is no error
		<-time.After(before)
		greedy, err := traffic.Load{Flows: []traffic.Flow{{
			Name: "greedy", Users: numbered("greedy-%d", s.flows), Threads: s.requests, Count: 1, Seed: seed + 1, Spread: rise,
			Ask: s.ask, Patience: s.patience, Retry: untilServed,
		}}}.Run(ctx, target)
		require.NoError(t, err)
		end = time.Since(start)
		useful = work.Useful(start.Add(before), start.Add(end))
		<-time.After(watched)
		cancel()
		running.Wait()
		all = append(all, greedy...)
	})
	return all, end, work, useful
}
