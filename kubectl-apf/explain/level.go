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
func (e *Explainer) levelOf(c *engine.LevelConfig) PriorityLevel {
	out := PriorityLevel{Name: c.Name, UID: c.UID, Type: c.Discipline.String(), byFlow: e.byFlow}
	if c.Discipline == queueset.Queue {
		out.Queues, out.HandSize, out.QueueLengthLimit = c.Queues, c.HandSize, c.QueueLengthLimit
	}
	return out
}

// flowOf returns the flow of a request and its queues.
func (e *Explainer) flowOf(s *rules.Schema, c *engine.LevelConfig, a *flow.Attributes) Flow {
	distinguisher := s.DistinguisherOf(a)
	hash := flow.HashOf(s.Name, distinguisher)
	return Flow{Distinguisher: distinguisher, Hash: fmt.Sprintf("%016x", uint64(hash)), Hand: e.inForce.Hand(c.Name, hash, e.byFlow)}
}

// limitsOf returns the limits of a level: what the first API server tells, otherwise the limits of
// an idle one.
func (e *Explainer) limitsOf(level string) Limits {
	for i := range e.input.Replicas {
		if limits := e.limitsAt(&e.input.Replicas[i], level); limits.told {
			return limits
		}
	}
	return e.idleLimits(level)
}

// idleLimits returns the limits of a level of an idle API server.
func (e *Explainer) idleLimits(level string) Limits {
	l := e.inForce.Levels[level]
	return Limits{Limits: configuration.Limits(l.Limits), Current: l.Seats.Current, Inferred: true, idle: true}
}

// limitsAt returns the limits that an API server tells, completed by an idle one's.
func (e *Explainer) limitsAt(r *replica.Replica, level string) Limits {
	out, m := e.idleLimits(level), r.Metrics.Levels[level]
	out.Inferred = m.Nominal == nil || m.Lower == nil || m.Upper == nil || m.Current == nil
	out.Nominal, out.Lower = ptr.Deref(m.Nominal, out.Nominal), ptr.Deref(m.Lower, out.Lower)
	out.Upper, out.Current = ptr.Deref(m.Upper, out.Upper), ptr.Deref(m.Current, out.Current)
	if total := e.input.Configuration.Total; !e.input.Configuration.Own && total > 0 && out.Upper > total {
		out.all = total
	}
	out.told, out.idle = m.Nominal != nil || m.Current != nil, m.Current == nil
	return out
}
