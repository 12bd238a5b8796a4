package engine

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
)

// RecentRejections is for how long FlowFigures counts a flow with a rejection.
const RecentRejections = 5 * time.Minute

// LevelFlows are the flows of one level that used most, the heaviest first, see package
// heavyhitters.
type LevelFlows struct {
	Level string
	Flows []FlowUse
}

// FlowUse is what one flow used, in each window of time.
type FlowUse struct {
	Use
	// Tenant is the name of the tenant of the flow, see rules.Tenants; empty if the flow is a tenant of its
	// own, or its flow schema has been deleted.
	Tenant string
}

// Use is what one flow used, without its tenant.
type Use = heavyhitters.Use

// TopFlows returns the heaviest flows of each level, by name of the level. Exempt levels
// are included.
func (e *Engine) TopFlows() []LevelFlows {
	schemas := e.current.Load().queued()
	return ofEach(e, func(l *level) LevelFlows {
		var flows []FlowUse
		for _, use := range l.set.HeavyFlows() {
			flow := FlowUse{Use: use}
			if schema := schemas[use.Schema]; schema != nil {
				flow.Tenant = e.tenants.TenantOf(schema, use.Distinguisher)
			}
			flows = append(flows, flow)
		}
		return LevelFlows{l.configuration().Name, flows}
	})
}

// LevelRejections are the last rejections on one level, the newest first, see package
// rejections.
type LevelRejections struct {
	Level   string
	Records []RejectionRecord
}

// RejectionRecord describes the rejections of one flow for one reason.
type RejectionRecord = rejections.Record

// Rejections returns the last rejections on each level, by name of the level.
func (e *Engine) Rejections() []LevelRejections {
	return ofEach(e, func(l *level) LevelRejections { return LevelRejections{l.configuration().Name, l.rejections.Records()} })
}

// FlowFigures are the figures about the flows of one level that do not name them.
type FlowFigures struct {
	Level string
	// HeaviestShare is the part of the seat-seconds of the last minute that the
	// heaviest flow used, from 0 to 1.
	HeaviestShare float64
	// RejectedFlows is the number of flows with a rejection in the last 5 minutes, at
	// most rejections.Capacity.
	RejectedFlows int
}

// FlowFigures returns the figures of each level, by name of the level.
func (e *Engine) FlowFigures() []FlowFigures {
	since := e.clock.Now() - RecentRejections
	return ofEach(e, func(l *level) FlowFigures {
		return FlowFigures{l.configuration().Name, l.set.HeaviestFlow(), l.rejections.Flows(since)}
	})
}
