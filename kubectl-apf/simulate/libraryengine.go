package simulate

import (
	"context"
	"fmt"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	libraryqueueset "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// library is the queue sets of k8s.io/apiserver.
type library struct {
	line       *timeline
	classifier *engine.Engine // only classifies
	total      int
	levels     []*libraryLevel // by name
	byName     map[string]*libraryLevel
	// dispatched are the calls that queue sets dispatched while they were locked.
	dispatched []*call
}

var _ flowControl = (*library)(nil)

// libraryLevel is one priority level.
type libraryLevel struct {
	limits
	queuing  fq.QueuingConfig
	set      fq.QueueSet
	demand   fq.Integrator
	period   allocation.DemandPeriod
	smoothed float64
}

// libraryCall is what a call needs of a queue set.
type libraryCall struct {
	request fq.Request
	level   *libraryLevel
	work    fcrequest.WorkEstimate
	context waitContext
	// note is told that the call enters and leaves its queue.
	note    fq.QueueNoteFn
	owner   *library
	waiting bool
}

func newLibrary(line *timeline, total int, c engine.Configuration) (*library, []engine.Problem, error) {
	u := &library{line: line, total: total, byName: map[string]*libraryLevel{}}
	u.classifier = engine.New(engine.Options{Clock: apfClock{line}, Total: total})
	problems := u.classifier.Apply(c)
	for _, l := range u.classifier.Levels() {
		level := &libraryLevel{limits: limits{config: l.Config}, queuing: queuingOf(l.Config)}
		u.levels = append(u.levels, level)
		u.byName[l.Config.Name] = level
	}
	u.setNominal()
	u.divide()
	clock := libraryClock{line, u.wake}
	factory := libraryqueueset.NewQueueSetFactory(clock)
	for _, level := range u.levels {
		if err := level.create(factory, clock, total); err != nil {
			return nil, nil, err
		}
	}
	return u, problems, nil
}

// queuingOf returns the configuration of a queue set: -1 queues for an exempt level, 0 for a level
// that rejects.
func queuingOf(c engine.LevelConfig) fq.QueuingConfig {
	queuing := fq.QueuingConfig{Name: c.Name}
	switch c.Discipline {
	case queueset.Exempt:
		queuing.DesiredNumQueues = -1
	case queueset.Queue:
		queuing.DesiredNumQueues, queuing.QueueLengthLimit, queuing.HandSize = c.Queues, c.QueueLengthLimit, c.HandSize
	}
	return queuing
}

func (l *libraryLevel) create(factory fq.QueueSetFactory, clock eventclock.Interface, total int) error {
	l.demand = fq.NewNamedIntegrator(clock, l.config.Name)
	completer, err := factory.BeginConstruction(l.queuing, metrics.RatioedGaugePair{RequestsWaiting: noGauge{}, RequestsExecuting: noGauge{}}, noGauge{}, l.demand)
	if err != nil {
		return fmt.Errorf("priority level %q: %w", l.config.Name, err)
	}
	l.set = completer.Complete(l.dispatching(total))
	return nil
}

func (u *library) begin() *engine.Request { return u.classifier.Begin() }

func (u *library) arrive(c *call) (queueset.Outcome, string) {
	r := c.classified
	of := &c.library
	of.owner, of.level = u, u.byName[r.Level().Name]
	c.work = c.work.Normal()
	of.work = fcrequest.WorkEstimate{InitialSeats: uint64(c.work.Initial), FinalSeats: uint64(c.work.Final), AdditionalLatency: c.work.Latency}
	of.waiting = false
	of.context.reset()
	if of.note == nil {
		of.note = c.noteQueued
	}
	of.request, _ = of.level.set.StartRequest(&of.context, &of.work, uint64(hashOf(r)), r.Distinguisher, r.Schema().Name, nil, nil, of.note)
	if of.request == nil {
		r.End()
		if of.level.queuing.DesiredNumQueues > 0 {
			return queueset.Rejected, queueset.QueueFull.String()
		}
		return queueset.Rejected, queueset.ConcurrencyLimit.String()
	}
	outcome := queueset.Seated
	if of.waiting {
		outcome = queueset.Waiting
	} else {
		c.seatByLibrary()
	}
	u.wakeAllBut(c)
	return outcome, ""
}

// hashOf returns the hash of the flow, which queue sets choose a hand of queues by.
func hashOf(r *engine.Request) flow.Hash { return r.Hasher.Hash(r.Distinguisher) }

// noteQueued is called, with the queue set locked, when the call enters its queue, and
// when it is dispatched or leaves.
func (c *call) noteQueued(inQueue bool) {
	c.library.waiting = inQueue
	if !inQueue && !c.library.context.over {
		c.library.owner.dispatched = append(c.library.owner.dispatched, c)
	}
}

// seatByLibrary sets the seats: a queue set counts the larger number until the end.
func (c *call) seatByLibrary() {
	c.held, c.kept, c.latency = c.work.Width(), 0, 0
	if c.work.Latency > 0 {
		c.kept, c.latency = c.held, c.work.Latency
	}
}

// wake wakes the calls that queue sets have dispatched.
func (u *library) wake() { u.wakeAllBut(nil) }

func (u *library) wakeAllBut(arriving *call) {
	for i := 0; i < len(u.dispatched); i++ { //nolint:intrange // wake may dispatch more
		if c := u.dispatched[i]; c != arriving {
			c.seatByLibrary()
			c.wake()
		}
	}
	u.dispatched = u.dispatched[:0]
}

// finish lets the queue set learn the duration of the execution: Finish neither waits nor
// executes, because the call was dispatched before.
func (u *library) finish(c *call) {
	c.library.request.Finish(func() {})
	c.library.request = nil
	c.classified.End()
	u.wake()
}

func (u *library) leave(c *call) {
	c.library.context.end()
	c.library.request.Finish(func() { panic("simulate: a request executes whose time is over") })
	c.library.request = nil
	c.classified.End()
	u.wake()
}

func (u *library) limits() []limits {
	out := make([]limits, len(u.levels))
	for i, l := range u.levels {
		out[i] = l.limits
	}
	return out
}

// waitContext is the context of a call, which ends when the call has waited as long as it
// may. It allocates a channel only for calls that do not leave their queue at once.
type waitContext struct {
	done chan struct{}
	over bool
}

var _ context.Context = (*waitContext)(nil)

// reset prepares the context for another call.
func (w *waitContext) reset() { w.done, w.over = nil, false }

func (w *waitContext) end() {
	w.over = true
	w.done = make(chan struct{})
	close(w.done)
}

// Deadline implements context.Context.
func (*waitContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context. It is asked when the outcome is known: nil blocks.
func (w *waitContext) Done() <-chan struct{} { return w.done }

// Err implements context.Context.
func (w *waitContext) Err() error {
	if w.over {
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context.
func (*waitContext) Value(any) any { return nil }

// noGauge discards what queue sets report. They call no other method.
type noGauge struct{ metrics.RatioedGauge }

// Add implements metrics.Gauge.
func (noGauge) Add(float64) {}

// SetDenominator implements metrics.RatioedGauge.
func (noGauge) SetDenominator(float64) {}
