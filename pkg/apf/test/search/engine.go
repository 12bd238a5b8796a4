package search

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Engine returns the discipline of package queueset.
func Engine() Discipline { return Discipline{Name: "engine", New: newEngine} }

// engine is a Level. The State of a Request is its *queueset.Request.
type engine struct {
	host   Host
	set    *queueset.Set
	series *queueset.Series
	hasher *flow.Hasher
}

var _ Level = (*engine)(nil)

func newEngine(host Host, c Config) Level {
	e := &engine{host: host, series: stats.NewLayout().NewSeries("level", "schema"), hasher: flow.NewHasher("schema", new(flow.HashCache))}
	config := queueset.Config{Discipline: queueset.Queue, Queues: c.Queues, HandSize: c.HandSize, QueueLengthLimit: c.QueueLength}
	set, err := queueset.New(host, config, limits(c.Seats))
	if err != nil {
		panic(err)
	}
	e.set = set
	return e
}

func limits(seats int) queueset.Limits {
	return queueset.Limits{Seats: seats, Denominator: max(1, seats)}
}

// Arrive implements Level.
func (e *engine) Arrive(r *Request) {
	q := new(queueset.Request)
	q.Hasher, q.Series, q.Distinguisher, q.Flow, q.Work = e.hasher, e.series, r.Flow, r.Flow, seats.Work{Initial: r.Width}
	q.Tenant, q.TenantWeight, q.Weight = r.Tenant, int(r.TenantWeight), int(r.Weight)
	q.Decided = func() {
		if q.Displaced() {
			e.host.Reject(r, q.RetryAfter())
			return
		}
		e.host.Start(r)
	}
	r.State = q
	switch e.set.Arrive(q) {
	case queueset.Seated:
		e.host.Start(r)
	case queueset.Rejected:
		e.host.Reject(r, q.RetryAfter())
	case queueset.Waiting:
		if r.Deadline > 0 {
			q.SetDeadline(r.Deadline)
		}
	}
}

// Leave implements Level.
func (e *engine) Leave(r *Request) { e.set.Leave(of(r), queueset.Cancelled) }

// Finish implements Level.
func (e *engine) Finish(r *Request) { e.set.Finish(of(r)) }

// SetSeats implements Level.
func (e *engine) SetSeats(n int) { e.set.SetLimits(limits(n)).Tell() }

func of(r *Request) *queueset.Request { return r.State.(*queueset.Request) }
