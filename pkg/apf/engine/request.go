package engine

import (
	"context"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Ticket is one request on its way through the engine, see the package
// comment. It must not be used by two goroutines at once, nor after End.
type Ticket struct {
	queueset.Request
	engine *Engine
	class  *class
	waited time.Duration
}

func newTicket(e *Engine, shard uint32) *Ticket {
	return &Ticket{Request: *queueset.NewRequest(shard), engine: e}
}

// Begin returns a ticket for a request. Its attributes must be filled in, and
// End must be called in the end.
func (e *Engine) Begin() *Ticket { return e.tickets.Get().(*Ticket) }

// End gives the ticket back. The request must not be waiting or executing.
func (t *Ticket) End() {
	t.Attributes = flow.Attributes{}
	t.Distinguisher = ""
	t.class, t.Hasher, t.Series = nil, nil, nil
	t.engine.tickets.Put(t)
}

// Classify finds the request's flow schema and level by its attributes.
func (t *Ticket) Classify() {
	c := t.engine.current.Load().classify(&t.Attributes)
	t.class = c
	t.Hasher, t.Series = c.hasher, c.series
	t.Distinguisher = ""
	if c.queues {
		t.Distinguisher = c.schema.DistinguisherOf(&t.Attributes)
	}
}

// Schema returns the flow schema that the request was classified to.
func (t *Ticket) Schema() *classify.Schema { return t.class.schema }

// Level returns the configuration of the request's level when that was last
// applied before the request was classified.
func (t *Ticket) Level() *prioritylevel.Config { return t.class.config }

// Exempt reports whether the request is exempt from limitation.
func (t *Ticket) Exempt() bool { return t.class.config.Discipline == queueset.Exempt }

// Admit gets seats for work, waiting for them if it must. It returns false if
// the request must not execute, see Reason. If it returns true, Finish must be
// called after the execution, once, whatever happened. The request waits no
// longer than ctx lasts. If it waits, queued, unless nil, is called with true
// before and with false after.
//
// Admit is Arrive and Wait, with care for a panic of queued.
func (t *Ticket) Admit(ctx context.Context, work seats.Work, queued func(bool)) bool {
	switch t.Arrive(work) {
	case queueset.Seated:
		return true
	case queueset.Waiting:
		return t.waitAloud(ctx, queued)
	default:
		return false
	}
}

func (t *Ticket) waitAloud(ctx context.Context, queued func(bool)) bool {
	state, done := queueset.Waiting, false
	defer func() {
		if !done {
			t.class.level.Set().Abandon(&t.Request, state)
		}
	}()
	if queued != nil {
		queued(true)
	}
	state = queueset.Refused
	if t.Wait(ctx) {
		state = queueset.Seated
	}
	if queued != nil {
		queued(false)
	}
	done = true
	return state == queueset.Seated
}

// Arrive asks for seats. If the outcome is Seated, Finish must be called after
// the execution; if it is Waiting, Wait must be called, or Abandon.
func (t *Ticket) Arrive(work seats.Work) queueset.Outcome {
	t.waited = 0
	t.Work = work
	t.Series.Estimated(t.Shard(t.engine.layout), work.Width())
	return t.class.level.Set().Arrive(&t.Request)
}

// Wait waits, no longer than ctx lasts, after Arrive said so. If it returns
// true, Finish must be called after the execution; if not, see Reason.
func (t *Ticket) Wait(ctx context.Context) bool {
	outcome := t.class.level.Set().Wait(ctx, &t.Request)
	t.waited = t.engine.clock.Now() - t.Arrived()
	return outcome == queueset.Seated
}

// Abandon gives up a request that Arrive left waiting.
func (t *Ticket) Abandon() { t.class.level.Set().Abandon(&t.Request, queueset.Waiting) }

// MaxWidth returns the most seats that an estimate for the request should
// take; 0 if nothing bounds it. It takes no lock.
func (t *Ticket) MaxWidth() int { return t.class.level.MaxWidth() }

// Waited returns how long the request waited in a queue, 0 if it never did.
func (t *Ticket) Waited() time.Duration { return t.waited }

// Finish ends the execution and returns how long it took. The seats come free
// at once, or after the additional latency of the work.
func (t *Ticket) Finish() time.Duration { return t.class.level.Set().Finish(&t.Request) }

// NoteWatchers counts a mutating request of which so many watchers will hear.
func (t *Ticket) NoteWatchers(n int) { t.Series.WatchCount(t.Shard(t.engine.layout), n) }
