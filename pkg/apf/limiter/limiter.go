// Package limiter bounds how many seats requests of a program use at once, and shares them fairly among
// flows. It is package queueset for a program that is not an API server, and needs only Go's library.
//
// Acquire takes seats, or waits for them, and returns the function that releases them:
//
//	release, err := l.Acquire(ctx, limiter.Flow{Name: user}, 1)
//	if err != nil {
//		return err // a *Rejection has the time after which to try again
//	}
//	defer release()
//
// The cost of a request is not declared: a flow is charged for the seats times the time until release. A
// flow that uses less than its share waits for few others, whatever these do; see package queueset.
package limiter

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Config is the configuration of a Limiter.
type Config struct {
	// Seats may be in use at once. With 0, all requests wait.
	Seats int
	// MaxWaiting requests may wait, rounded up to a multiple of MaxWaitingPerFlow, which is how many of one
	// flow may. Both must be positive.
	MaxWaiting, MaxWaitingPerFlow int
	// Clock is the source of time. The default is the monotonic clock of the machine.
	Clock clock.Clock
}

// Flow is a stream of requests that is served in order. Flows of one tenant share what the tenant gets. A
// flow without a tenant is a tenant of its own. Names may be made up with each request.
type Flow struct {
	Tenant, Name string
	// Weight is how many shares the flow has of its tenant, or of the whole if it has none, and
	// TenantWeight how many the tenant has. 0 means 1, and more than 2^20 means 2^20. The last request of
	// the flow decides.
	Weight, TenantWeight int
}

// Rejection is why a request got no seats. It is context.Canceled if its context was canceled while it waited, and
// context.DeadlineExceeded if the deadline passed, or was too close for a request of the flow.
type Rejection struct { //nolint:errname // as flow control calls it
	Reason queueset.Reason
	// RetryAfter is after which time another attempt may succeed. It is 0 if the context was canceled, and while
	// no request has ended yet from which it could be known.
	RetryAfter time.Duration
}

// Error implements error.
func (r *Rejection) Error() string {
	if r.RetryAfter == 0 {
		return "no seats: " + r.Reason.String()
	}
	return fmt.Sprintf("no seats: %v; retry after %v", r.Reason, r.RetryAfter.Round(time.Millisecond))
}

// Unwrap returns the error of the context that ended, or nil.
func (r *Rejection) Unwrap() error {
	switch r.Reason {
	case queueset.Cancelled:
		return context.Canceled
	case queueset.TimeOut:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// Limiter shares seats among flows. It is safe for concurrent use. Create one with New.
type Limiter struct {
	set            *queueset.Set
	series         *queueset.Series
	flows, tenants *flow.Hasher // of flows without and with a tenant
	requests       sync.Pool    // of *queueset.Request
}

// New returns a Limiter, or an error that says what is wrong with the configuration.
func New(c Config) (*Limiter, error) {
	switch {
	case c.Seats < 0:
		return nil, fmt.Errorf("limiter: %d seats must not be negative", c.Seats)
	case c.MaxWaiting < 1 || c.MaxWaitingPerFlow < 1:
		return nil, fmt.Errorf("limiter: MaxWaiting %d and MaxWaitingPerFlow %d must be positive", c.MaxWaiting, c.MaxWaitingPerFlow)
	}
	if c.Clock == nil {
		c.Clock = clock.NewReal()
	}
	hashes := new(flow.HashCache)
	set, err := queueset.New(c.Clock, queueset.Config{
		Discipline: queueset.Queue, Queues: (c.MaxWaiting-1)/c.MaxWaitingPerFlow + 1, HandSize: 1, QueueLengthLimit: c.MaxWaitingPerFlow,
	}, limits(c.Seats))
	if err != nil {
		return nil, fmt.Errorf("limiter: %w", err)
	}
	return &Limiter{
		set: set, series: stats.NewLayout().NewSeries("", ""),
		flows: flow.NewHasher("flows", hashes), tenants: flow.NewHasher("tenants", hashes),
	}, nil
}

func limits(seats int) queueset.Limits {
	return queueset.Limits{Seats: seats, Denominator: max(seats, 1)}
}

// Acquire takes seats for a request of a flow, and waits for them until ctx ends at the latest. A request
// for more seats than there are waits until none is in use. The caller must call release once, when the
// request has ended: until then the seats are in use. A second call panics.
//
// The error is ctx.Err() if ctx had ended before, which costs the flow nothing, and otherwise a *Rejection.
// A number of seats below 1 and a negative weight are errors too.
func (l *Limiter) Acquire(ctx context.Context, f Flow, n int) (release func(), err error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case n < 1:
		return nil, fmt.Errorf("limiter: cannot acquire %d seats: the number must be positive", n)
	case f.Weight < 0 || f.TenantWeight < 0:
		return nil, fmt.Errorf("limiter: the weights %d and %d of flow %q must not be negative", f.Weight, f.TenantWeight, f.Name)
	}
	r := l.request(f, n)
	outcome := l.set.Arrive(r)
	if outcome == queueset.Waiting {
		if deadline, ok := ctx.Deadline(); ok {
			r.SetDeadline(time.Until(deadline))
		}
		outcome = l.set.Wait(ctx, r, nil)
	}
	if outcome != queueset.Seated {
		err = &Rejection{Reason: r.Reason(), RetryAfter: r.RetryAfter()}
		l.requests.Put(r)
		return nil, err
	}
	g := &grant{limiter: l}
	g.request.Store(r)
	return g.release, nil
}

// grant is a request that has its seats.
type grant struct {
	limiter *Limiter
	request atomic.Pointer[queueset.Request] // nil once it is released
}

func (g *grant) release() {
	r := g.request.Swap(nil)
	if r == nil {
		panic("limiter: release called twice; call it once for each Acquire that returned it")
	}
	g.limiter.set.Finish(r)
	g.limiter.requests.Put(r)
}

func (l *Limiter) request(f Flow, n int) *queueset.Request {
	r, ok := l.requests.Get().(*queueset.Request)
	if !ok {
		r = new(queueset.Request)
	}
	r.Series, r.Work = l.series, seats.Work{Initial: n}
	r.Tenant, r.Weight, r.TenantWeight = f.Tenant, f.Weight, f.TenantWeight
	r.Hasher, r.Distinguisher = l.flows, f.Name
	if f.Tenant != "" {
		r.Hasher, r.Distinguisher = l.tenants, fmt.Sprint(len(f.Tenant), ":", f.Tenant, f.Name)
	}
	r.Flow = r.Distinguisher
	return r
}

// SetSeats changes the number of seats; a negative number counts as 0. Requests that hold seats keep them.
func (l *Limiter) SetSeats(n int) { l.set.SetLimits(limits(max(n, 0))).Tell() }

// Usage returns how many requests wait, and how many seats are in use.
func (l *Limiter) Usage() (waiting, inUse int) {
	figures := l.set.Figures()
	return figures.Waiting, figures.SeatsInUse
}
