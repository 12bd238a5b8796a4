package explain

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// levelOf describes a priority level, without its limits.
func levelOf(c *engine.LevelConfig) PriorityLevel {
	out := PriorityLevel{Name: c.Name, UID: c.UID, Type: c.Discipline.String()}
	if c.Discipline == queueset.Queue {
		out.Queues, out.HandSize, out.QueueLengthLimit = c.Queues, c.HandSize, c.QueueLengthLimit
	}
	return out
}

// flowOf returns the flow of a request and its hand.
func flowOf(s *rules.Schema, c *engine.LevelConfig, a *flow.Attributes) Flow {
	distinguisher := s.DistinguisherOf(a)
	hash := flow.HashOf(s.Name, distinguisher)
	out := Flow{Distinguisher: distinguisher, Hash: fmt.Sprintf("%016x", uint64(hash)), Hand: []int{}}
	if c.Discipline != queueset.Queue {
		return out
	}
	if dealer, err := flow.NewDealer(c.Queues, c.HandSize); err == nil {
		out.Hand = dealer.Deal(hash, out.Hand)
	}
	return out
}

// limitsOf returns the limits of a level: what the first API server tells, otherwise the limits of
// an idle one.
func (e *Explainer) limitsOf(level string) Limits {
	for i := range e.input.Replicas {
		if limits, known := limitsAt(&e.input.Replicas[i], level); known {
			return limits
		}
	}
	return e.idleLimits(level)
}

// idleLimits returns the limits of a level of an idle API server.
func (e *Explainer) idleLimits(level string) Limits {
	l := e.inForce.Levels[level]
	return Limits{Limits: configuration.Limits(l.Limits), Current: l.Seats.Current, Inferred: true}
}

// limitsAt returns the limits that an API server tells.
func limitsAt(r *replica.Replica, level string) (Limits, bool) {
	m := r.Metrics.Levels[level]
	if m.Nominal == nil || m.Current == nil { // a part of the metrics does not tell
		return Limits{}, false
	}
	return Limits{Limits: configuration.Limits{Nominal: *m.Nominal, Lower: ptr.Deref(m.Lower, 0), Upper: ptr.Deref(m.Upper, 0)}, Current: *m.Current}, true
}
