package engine

import (
	"context"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Request is one request in the engine, see the package comment. It must not be
// used by two goroutines at once, nor after End.
type Request struct {
	queueset.Request
	// Leaves returns when the client leaves, by the context that bounds a wait, and zero if that is
	// unknown. Optional, see Wait.
	Leaves func(wait context.Context) time.Time
	engine *Engine
	entry  *schemaEntry
	waited time.Duration
}

// Begin returns a Request. The caller must set its Attributes before Classify, and
// call End last. Requests are pooled, so that a request allocates nothing
// (BenchmarkUncontended).
func (e *Engine) Begin() *Request { return e.requests.Get().(*Request) }

// End returns the Request to the pool. It must not be waiting or executing.
func (r *Request) End() {
	r.Attributes = flow.Attributes{}
	r.Distinguisher, r.Flow, r.Tenant, r.Leaves = "", "", "", nil
	r.entry, r.Hasher, r.Series, r.Decided, r.Unseated = nil, nil, nil, nil, false
	r.engine.requests.Put(r)
}

// Classify finds the flow schema and the priority level by the Attributes.
func (r *Request) Classify() { r.become(r.engine.current.Load().classify(&r.Attributes)) }

// ClassifyAs makes the request one of the flow schema with this name, for a caller that
// knows the flow schema and not all Attributes. It reports whether there is such a schema.
func (r *Request) ClassifyAs(schema string) bool {
	entries := r.engine.current.Load().entries
	i := slices.IndexFunc(entries, func(c *schemaEntry) bool { return c.schema.Name == schema })
	if i >= 0 {
		r.become(entries[i])
	}
	return i >= 0
}

func (r *Request) become(c *schemaEntry) {
	r.entry = c
	r.Hasher, r.Series = c.hasher, c.series
	r.Flow = c.schema.DistinguisherOf(&r.Attributes)
	r.Distinguisher, r.Tenant = "", ""
	if c.queues {
		r.Distinguisher, r.Tenant = r.Flow, r.engine.tenants.TenantOf(c.schema, r.Flow)
	}
}

// Schema returns the flow schema that the request was classified to.
func (r *Request) Schema() *rules.Schema { return r.entry.schema }

// Level returns the configuration of the priority level at the time of Classify.
func (r *Request) Level() *LevelConfig { return r.entry.config }

// Exempt reports whether the priority level is exempt.
func (r *Request) Exempt() bool { return r.entry.config.Discipline == queueset.Exempt }

// Admit acquires seats for work, and waits for them until ctx ends at the latest.
// It reports whether the request may execute; if not, Reason says why. If it may,
// the caller must call Finish exactly once after the execution, even if that
// panicked. If the request waits, queued, unless nil, is called with true before
// and with false after.
//
// Admit is Arrive and Wait; it also cleans up if queued panics.
func (r *Request) Admit(ctx context.Context, work seats.Work, queued func(bool)) bool {
	outcome := r.Arrive(work)
	if outcome == queueset.Waiting && queued == nil {
		outcome = r.Wait(ctx, nil)
	} else if outcome == queueset.Waiting {
		outcome = r.waitAndNotify(ctx, queued)
	}
	return outcome == queueset.Seated
}

func (r *Request) waitAndNotify(ctx context.Context, queued func(bool)) (outcome queueset.Outcome) {
	outcome, done := queueset.Waiting, false
	defer func() {
		if done {
			return
		}
		if outcome == queueset.Waiting {
			gone, cancel := context.WithCancel(ctx)
			cancel()
			outcome = r.Wait(gone, nil)
		}
		if outcome == queueset.Seated {
			r.Finish()
		}
	}()
	queued(true)
	outcome = r.Wait(ctx, nil)
	queued(false)
	done = true
	return outcome
}

// Arrive asks for seats. If the outcome is Seated, the caller must call Finish
// after the execution; if it is Waiting, Wait or Leave. With a function Decided, a waiting
// request must not Wait: the function is called when the request may execute, or is Displaced.
func (r *Request) Arrive(work seats.Work) queueset.Outcome {
	r.waited = 0
	r.Work = work
	r.Series.Estimated(work.Width())
	outcome := r.entry.level.set.Arrive(&r.Request)
	if outcome == queueset.Rejected {
		r.rememberRejection(r.Arrived())
	}
	return outcome
}

// Reject rejects the request instead of letting it arrive, since its owner has a bound of its own.
// It is counted and remembered as one for which no seat was free.
func (r *Request) Reject() {
	r.waited, r.Work = 0, seats.Work{}
	r.entry.level.set.Reject(&r.Request)
	r.rememberRejection(r.Arrived())
}

// Depart ends a classified request that does not arrive, since its context has ended: nobody waits
// for its response. It is counted as rejected for the reason, Cancelled or TimeOut, and takes no seat
// and no lock.
func (r *Request) Depart(reason queueset.Reason) {
	r.waited, r.Work = 0, seats.Work{}
	r.Series.Rejected(reason)
}

// Wait waits for seats until ctx ends at the latest, or until the request is unneeded, if the channel is
// not nil. If the outcome is Seated, the caller must call Finish after the execution; if it is Rejected,
// Reason says why. Without Leaves, the deadline of ctx is taken for a quarter of what the client waits
// for a response from now on.
func (r *Request) Wait(ctx context.Context, unneeded <-chan struct{}) queueset.Outcome {
	r.expect(ctx)
	outcome := r.entry.level.set.Wait(ctx, &r.Request, unneeded)
	r.waited = r.engine.clock.Now() - r.Arrived()
	if outcome == queueset.Rejected {
		r.rememberRejection(r.Arrived() + r.waited)
	}
	return outcome
}

// expect tells the queue when the client leaves.
func (r *Request) expect(ctx context.Context) {
	if r.Leaves == nil {
		if limit, ok := ctx.Deadline(); ok {
			r.SetDeadline(4 * time.Until(limit))
		}
	} else if at := r.Leaves(ctx); !at.IsZero() {
		r.SetDeadline(time.Until(at))
	}
}

// Leave removes a waiting request from its queue for the given reason: TimeOut if it
// waited as long as it may, Cancelled if its client has gone. If it has been dispatched or
// displaced, Leave does nothing and returns false.
func (r *Request) Leave(reason queueset.Reason) bool {
	if !r.entry.level.set.Leave(&r.Request, reason) {
		return false
	}
	r.waited = r.engine.clock.Now() - r.Arrived()
	r.rememberRejection(r.Arrived() + r.waited)
	return true
}

func (r *Request) rememberRejection(at time.Duration) {
	r.entry.level.rejections.Add(rejections.Rejection{
		Schema: r.entry.schema.Name, Distinguisher: r.Flow, Reason: r.Reason(), Attributes: &r.Attributes,
		Queue: r.RejectingQueue(), Seats: r.Work.Width(), At: at,
	})
}

// MaxWidth returns the largest work estimate of one request on the priority level,
// in seats; 0 if there is no bound. It takes no lock.
func (r *Request) MaxWidth() int { return r.entry.level.widest() }

// Waited returns how long the request waited in a queue for Wait or Leave; 0 if it did
// not. With a function Decided it is Started minus Arrived.
func (r *Request) Waited() time.Duration { return r.waited }

// Executed returns how long the request has executed so far.
func (r *Request) Executed() time.Duration { return r.engine.clock.Now() - r.Started() }

// Finish ends the execution and returns its duration. The seats are released at
// once, or after the additional latency of the work.
func (r *Request) Finish() time.Duration { return r.entry.level.set.Finish(&r.Request) }

// ObserveWatchers counts a mutating request by the number of watchers that it
// notifies.
func (r *Request) ObserveWatchers(n int) { r.Series.WatchCount(n) }
