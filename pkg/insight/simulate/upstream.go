package simulate

import (
	"context"
	"fmt"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	upstreamqueueset "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// upstream is the queue sets of k8s.io/apiserver.
type upstream struct {
	line       *timeline
	classifier *engine.Engine // only classifies
	total      int
	levels     []*upstreamLevel // by name
	byName     map[string]*upstreamLevel
	// dispatched are the calls that queue sets dispatched while they were locked.
	dispatched []*call
}

var _ flowControl = (*upstream)(nil)

// upstreamLevel is one priority level.
type upstreamLevel struct {
	config   engine.LevelConfig
	queuing  fq.QueuingConfig
	set      fq.QueueSet
	demand   fq.Integrator
	period   allocation.DemandPeriod
	smoothed float64
	upstreamLimits
}

// upstreamCall is what a call needs of a queue set.
type upstreamCall struct {
	request fq.Request
	level   *upstreamLevel
	work    fcrequest.WorkEstimate
	context waitContext
	// note is told that the call enters and leaves its queue.
	note    fq.QueueNoteFn
	owner   *upstream
	waiting bool
}

func newUpstream(line *timeline, total int, c engine.Configuration) (*upstream, []engine.Problem, error) {
	u := &upstream{line: line, total: total, byName: map[string]*upstreamLevel{}}
	u.classifier = engine.New(engine.Options{Clock: ourClock{line}, Total: total, Shards: 1})
	problems := u.classifier.Apply(c)
	for _, l := range u.classifier.Levels() {
		level := &upstreamLevel{config: l.Config, queuing: queuingOf(l.Config)}
		u.levels = append(u.levels, level)
		u.byName[l.Config.Name] = level
	}
	u.setNominal()
	u.divide()
	clock := upstreamClock{line, u.wake}
	factory := upstreamqueueset.NewQueueSetFactory(clock)
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

func (l *upstreamLevel) create(factory fq.QueueSetFactory, clock eventclock.Interface, total int) error {
	l.demand = fq.NewNamedIntegrator(clock, l.config.Name)
	completer, err := factory.BeginConstruction(l.queuing, metrics.RatioedGaugePair{RequestsWaiting: noGauge{}, RequestsExecuting: noGauge{}}, noGauge{}, l.demand)
	if err != nil {
		return fmt.Errorf("priority level %q: %w", l.config.Name, err)
	}
	l.set = completer.Complete(l.dispatching(total))
	return nil
}

func (u *upstream) begin() *engine.Request { return u.classifier.Begin() }

func (u *upstream) arrive(c *call) (queueset.Outcome, string) {
	r := c.classified
	of := &c.upstream
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
		c.seatUpstream()
	}
	u.wakeAllBut(c)
	return outcome, ""
}

// hashOf returns the hash of the flow, which queue sets choose a hand of queues by.
func hashOf(r *engine.Request) flow.Hash { return r.Hasher.Hash(r.Distinguisher) }

// noteQueued is called, with the queue set locked, when the call enters its queue, and
// when it is dispatched or leaves.
func (c *call) noteQueued(inQueue bool) {
	c.upstream.waiting = inQueue
	if !inQueue && !c.upstream.context.over {
		c.upstream.owner.dispatched = append(c.upstream.owner.dispatched, c)
	}
}

// seatUpstream sets the seats: a queue set counts the larger number until the end.
func (c *call) seatUpstream() {
	c.held, c.kept, c.latency = c.work.Width(), 0, 0
	if c.work.Latency > 0 {
		c.kept, c.latency = c.held, c.work.Latency
	}
}

// wake wakes the calls that queue sets have dispatched.
func (u *upstream) wake() { u.wakeAllBut(nil) }

func (u *upstream) wakeAllBut(arriving *call) {
	for i := 0; i < len(u.dispatched); i++ { //nolint:intrange // wake may dispatch more
		if c := u.dispatched[i]; c != arriving {
			c.seatUpstream()
			c.wake()
		}
	}
	u.dispatched = u.dispatched[:0]
}

// finish lets the queue set learn the duration of the execution: Finish neither waits nor
// executes, because the call was dispatched before.
func (u *upstream) finish(c *call) {
	c.upstream.request.Finish(func() {})
	c.upstream.request = nil
	c.classified.End()
	u.wake()
}

func (u *upstream) leave(c *call) {
	c.upstream.context.end()
	c.upstream.request.Finish(func() { panic("simulate: a request executes whose time is over") })
	c.upstream.request = nil
	c.classified.End()
	u.wake()
}

func (u *upstream) limits() []limits {
	out := make([]limits, len(u.levels))
	for i, l := range u.levels {
		out[i] = limits{config: l.config, nominal: l.nominal, lower: l.lower, upper: l.upper, current: l.current}
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

// noGauge is a metric that nobody reads.
type noGauge struct{}

var _ metrics.RatioedGauge = noGauge{}

// Set implements metrics.Gauge.
func (noGauge) Set(float64) {}

// Inc implements metrics.Gauge.
func (noGauge) Inc() {}

// Dec implements metrics.Gauge.
func (noGauge) Dec() {}

// Add implements metrics.Gauge.
func (noGauge) Add(float64) {}

// SetToCurrentTime implements metrics.Gauge.
func (noGauge) SetToCurrentTime() {}

// SetDenominator implements metrics.RatioedGauge.
func (noGauge) SetDenominator(float64) {}
