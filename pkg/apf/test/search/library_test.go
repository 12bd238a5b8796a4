// Without the library the race detector needs half as many packages.

//go:build !race

package search

import (
	"context"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// libraries returns the discipline of k8s.io/apiserver.
func libraries() []Discipline { return []Discipline{{Name: "library", New: newLibrary}} }

// peer is a Level. The State of a Request is its *peerRequest.
type peer struct {
	host   Host
	config fq.QueuingConfig
	set    fq.QueueSet
}

type peerRequest struct {
	fq.Request
	cancel context.CancelFunc
}

func newLibrary(host Host, c Config) Level {
	p := &peer{host: host, config: fq.QueuingConfig{Name: "searched", DesiredNumQueues: c.Queues, HandSize: c.HandSize, QueueLengthLimit: c.QueueLength}}
	label := []string{p.config.Name}
	clock := peerClock{host: host}
	completer, err := queueset.NewQueueSetFactory(clock).BeginConstruction(p.config,
		metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, label),
		metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, label),
		fq.NewNamedIntegrator(clock, label[0]))
	if err != nil {
		panic(err)
	}
	p.set = completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: c.Seats, ConcurrencyDenominator: max(1, c.Seats)})
	return p
}

// Arrive implements Level. The library calls the last function when a request enters a queue and
// when it leaves it, which is when it is dispatched, unless its context is done.
func (p *peer) Arrive(r *Request) {
	ctx, cancel := context.WithCancel(context.Background())
	state := &peerRequest{cancel: cancel}
	r.State = state
	state.Request, _ = p.set.StartRequest(ctx, &fcrequest.WorkEstimate{InitialSeats: uint64(r.Width)}, uint64(flow.HashOf("schema", r.Flow)), r.Flow, "schema", nil, nil, func(queued bool) {
		if !queued && ctx.Err() == nil {
			p.host.Start(r)
		}
	})
	if state.Request == nil {
		p.host.Reject(r, time.Second)
	}
}

// Leave implements Level.
func (p *peer) Leave(r *Request) {
	state := r.State.(*peerRequest)
	state.cancel()
	state.Finish(func() {})
}

// Finish implements Level.
func (p *peer) Finish(r *Request) {
	state := r.State.(*peerRequest)
	state.Finish(func() {})
	state.cancel()
}

// SetSeats implements Level.
func (p *peer) SetSeats(n int) {
	completer, err := p.set.BeginConfigChange(p.config)
	if err != nil {
		panic(err)
	}
	completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: n, ConcurrencyDenominator: max(1, n)})
}

// peerClock is the clock of a Host.
type peerClock struct{ host Host }

var _ eventclock.Interface = peerClock{}

func (c peerClock) Now() time.Time                     { return c.host.Wall(c.host.Now()) }
func (c peerClock) Since(past time.Time) time.Duration { return c.Now().Sub(past) }
func (c peerClock) Sleep(time.Duration)                { panic("nothing sleeps in virtual time") }
func (c peerClock) EventAfterTime(f eventclock.EventFunc, at time.Time) {
	c.EventAfterDuration(f, at.Sub(c.Now()))
}
func (c peerClock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.host.AfterFunc(d, func() { f(c.Now()) })
}
