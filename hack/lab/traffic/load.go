// Package traffic sends the requests of many users to a server, and records each try.
//
// A Flow says who asks what, when, for how long, with how much patience, and how clients try again. A Load
// is several flows. It runs against a Target: the URL of a server, or a handler in this process, in virtual
// time. A Virtual is such a handler, with the engine of k8s.io/apiserver or pkg/apf. StartServer starts a real
// server, and a Backend or an EtcdProxy makes it slow. Package measurement says what the samples mean.
package traffic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Flow says who asks what, when, and for how long.
type Flow struct {
	// Name is the name of its samples.
	Name string
	// Users each have Threads, at least one. A thread sends one request at a time, unless Every is set.
	Users   []User
	Threads int
	// Fresh, unless nil, is the user of each request instead, by its number in the flow.
	Fresh func(n int) User
	// Ask is what a user asks, by the index of the user, or by the number of the request if there is Fresh.
	Ask func(n int) Request
	// Every is the time between two requests of a thread, which does not wait for answers. With 0 a
	// thread sends a request when the one before has been answered.
	Every time.Duration
	// Seed, unless 0, makes the times random: a thread with Every sends a request at any time of each
	// interval, a thread without it begins at any time of Spread, and backoff varies by half.
	Seed   uint64
	Spread time.Duration
	// Start is when the flow begins, and For how long it sends; 0 is until the load ends, or until Done, unless
	// nil, is closed. At its end the clients of a flow without Every leave.
	Start, For time.Duration
	Done       <-chan struct{}
	// Count is how many requests each thread sends at most; 0 is no limit.
	Count int
	// Patience is when a client leaves; 0 is never.
	Patience time.Duration
	// Multiplexed clients share connections of HTTP/2, so that one that leaves closes none.
	Multiplexed bool
	// Retry says what a client does that was not served.
	Retry Retry
	// Rude clients send their next request at once, whatever Retry-After says.
	Rude bool
}

// Retry says what a client does that was not served.
type Retry struct {
	// Tries is the greatest number of tries of a request; 0 is one.
	Tries int
	// Backoff is how long a client waits that was not told how long. It doubles with each try, up to
	// MaxBackoff. With 0 such a client gives up, as client-go does.
	Backoff, MaxBackoff time.Duration
}

// ClientGo is how k8s.io/client-go tries again: ten times, if the answer has a Retry-After.
func ClientGo() Retry { return Retry{Tries: 11} }

// reaction is how long a client needs at least until it asks again after it was not served.
const reaction = time.Millisecond

// Load is several flows at once.
type Load struct {
	Flows []Flow
	// Rate is how many requests may be sent within any second, all flows and tries together; 0 is no
	// limit. Flows with Every never wait for it, so they must need less.
	Rate int
	// Seen, unless nil, is called with each sample at once, by many goroutines.
	Seen func(measurement.Sample)
}

// run is a load on a target.
type run struct {
	target *Target
	start  time.Time
	limit  *rate.Limiter
	seen   func(measurement.Sample)

	mu      sync.Mutex // guards samples
	samples measurement.Samples
}

// Run sends the requests of all flows. It returns when all have been sent and answered, or ctx ended. It returns
// an error if the flows with Every need more than the rate.
func (l Load) Run(ctx context.Context, target *Target) (measurement.Samples, error) {
	limit, err := l.limit()
	if err != nil {
		return nil, err
	}
	r := &run{target: target, start: time.Now(), limit: limit, seen: l.Seen}
	var flows sync.WaitGroup
	for _, flow := range l.Flows {
		flows.Go(func() { r.flow(ctx, flow) })
	}
	flows.Wait()
	return r.samples, nil
}

// limit is for the tries of flows that wait. n threads with Every, which are evenly apart, send at most
// ⌈n · 1 s / Every⌉ requests within any second. At random times it may be ⌈1 s / Every⌉ + 1 each. A limiter of the
// rate r with a burst of one allows r + 1.
func (l Load) limit() (*rate.Limiter, error) {
	if l.Rate == 0 {
		return rate.NewLimiter(rate.Inf, 1), nil
	}
	left := l.Rate - 1
	for _, f := range l.Flows {
		if f.Every > 0 {
			threads, a := float64(len(f.Users)*max(f.Threads, 1)), float64(time.Second)/float64(f.Every)
			if f.Seed == 0 {
				left -= int(math.Ceil(threads * a))
			} else {
				left -= int(threads * (math.Ceil(a) + 1))
			}
		}
	}
	if left <= 0 {
		return nil, fmt.Errorf("a rate of %d requests a second is too low: clients of a steady pace need %d", l.Rate, l.Rate-left)
	}
	return rate.NewLimiter(rate.Limit(left), 1), nil
}

func (r *run) flow(load context.Context, f Flow) {
	ctx, cancel := context.WithCancel(load)
	if f.For > 0 {
		ctx, cancel = context.WithTimeout(load, f.Start+f.For)
	}
	defer cancel()
	if !Pause(ctx, f.Start) {
		return
	}
	if f.Done != nil {
		go func() {
			select {
			case <-f.Done:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	var threads sync.WaitGroup
	defer threads.Wait()
	var fresh atomic.Int64
	count := len(f.Users) * max(f.Threads, 1)
	for i := range count {
		threads.Go(func() {
			t := thread{run: r, flow: f, user: i % max(len(f.Users), 1), fresh: &fresh, random: rand.New(rand.NewPCG(f.Seed, uint64(i)))}
			if f.Every > 0 {
				t.pace(ctx, load, f.Every*time.Duration(i)/time.Duration(count))
				return
			}
			if f.Spread > 0 && !Pause(ctx, time.Duration(t.random.Float64()*float64(f.Spread))) {
				return
			}
			for sent := 1; ctx.Err() == nil; sent++ {
				if wait := t.request(ctx, true); sent == f.Count || !Pause(ctx, wait) {
					return
				}
			}
		})
	}
}

type thread struct {
	*run

	flow   Flow
	user   int
	random *rand.Rand
	fresh  *atomic.Int64 // the number of requests of the flow
}

// pace sends requests in an even rhythm until ctx ends, the first after an offset. It waits for their answers until
// the load ends: else the slowest answers would be missing.
func (t thread) pace(ctx, load context.Context, offset time.Duration) {
	var sending sync.WaitGroup
	defer sending.Wait()
	begins := time.Now()
	for sent := 0; t.flow.Count == 0 || sent < t.flow.Count; sent++ {
		at := begins.Add(offset)
		if t.flow.Seed != 0 {
			at = begins.Add(time.Duration(t.random.Float64() * float64(t.flow.Every)))
		}
		if !Pause(ctx, time.Until(at)) {
			return
		}
		begins = begins.Add(t.flow.Every)
		sending.Go(func() { t.request(load, false) })
	}
}

// request sends a request until it is served, or its tries have ended. Its first try waits for the rate
// limit if limited is set, and all others do. It returns how long the client waits until its next request.
func (t thread) request(ctx context.Context, limited bool) (wait time.Duration) {
	who, n := t.who()
	what, backoff := t.flow.Ask(n), t.flow.Retry.Backoff
	for try := 1; ; try++ {
		if (limited || try > 1) && t.limit.Wait(ctx) != nil {
			<-ctx.Done() // the limiter knows before that there is no turn left
			return 0
		}
		at := time.Since(t.start)
		sample := t.target.try(ctx, t.flow.Multiplexed, who, what, t.flow.Patience)
		if ctx.Err() != nil && sample.Status == 0 {
			return 0 // the end of the load is no answer
		}
		wait = sample.RetryAfter
		if wait == 0 && backoff > 0 {
			wait = backoff
			if t.flow.Seed != 0 && limited {
				wait = Around(wait, t.random)
			}
			backoff = min(2*backoff, max(t.flow.Retry.MaxBackoff, backoff))
		}
		sample.Flow, sample.At, sample.Try = t.flow.Name, at, try
		sample.Last = sample.Served() || wait == 0 || try >= t.flow.Retry.Tries
		t.add(sample)
		switch {
		case sample.Served():
			return 0
		case sample.Last && t.flow.Rude:
			return reaction
		case sample.Last:
			return max(sample.RetryAfter, reaction)
		case !Pause(ctx, wait):
			return 0
		}
	}
}

// who returns the user of the next request, and their index or its number.
func (t thread) who() (who User, n int) {
	if t.flow.Fresh != nil {
		n = int(t.fresh.Add(1)) - 1
		return t.flow.Fresh(n), n
	}
	return t.flow.Users[t.user], t.user
}

func (r *run) add(sample measurement.Sample) {
	if r.seen != nil {
		r.seen(sample)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, sample)
}

// Pause reports whether the time passed before ctx ended.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Get asks for a path.
func Get(path string) func(int) Request {
	return func(int) Request { return Request{Method: http.MethodGet, Path: path} }
}

// Around returns a time between half and one and a half of the mean.
func Around(mean time.Duration, random *rand.Rand) time.Duration {
	return time.Duration((0.5 + random.Float64()) * float64(mean))
}
