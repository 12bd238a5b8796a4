package why

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// maxFlows bounds the flows that are counted.
const maxFlows = 1 << 16

// Query says which requests a result is about. Empty fields select everything.
type Query struct {
	// User is the user whom flow control sees: the impersonated one, if any.
	User       string
	FlowSchema string
	// Servers is the number of API servers whose events are observed; 0 means one.
	Servers int
}

// Inquiry collects the evidence. Create one with New. It is not safe for concurrent
// use.
type Inquiry struct {
	query         Query
	configuration configuration.Configuration
	replicas      []replica.Replica
	engine        *engine.Engine
	levels        map[string]engine.LevelReport

	// all are the flows, asked the same for the requests of the query.
	all, asked map[flowKey]*account
	maxFlows   int
	// since and until span the events.
	since, until time.Time

	observed, annotated            int
	ungoverned, overlooked, others int
	unfinished, implied            int // events without an end, without groups
	unknownLevels                  map[string]bool
}

// New returns an Inquiry with the configuration in force, and what replicas tell.
func New(q Query, c configuration.Configuration, replicas []replica.Replica, now time.Time) *Inquiry {
	q.Servers = max(q.Servers, 1)
	i := &Inquiry{
		query: q, configuration: c, replicas: replicas, levels: map[string]engine.LevelReport{},
		all: map[flowKey]*account{}, asked: map[flowKey]*account{}, maxFlows: maxFlows, unknownLevels: map[string]bool{},
	}
	i.engine, _ = c.Engine(now)
	for _, level := range i.engine.Report().Levels {
		i.levels[level.Config.Name] = level
	}
	return i
}

// accountsOf returns the accounts that a request belongs to: its flow's, and if the
// query asks for it the one of the query. There is none if there are too many flows.
func (i *Inquiry) accountsOf(key flowKey, asked bool) []*account {
	flow := i.all[key]
	if flow == nil {
		if len(i.all) == i.maxFlows {
			i.overlooked++
			return nil
		}
		flow = &account{}
		i.all[key] = flow
	}
	if !asked {
		return []*account{flow}
	}
	if i.asked[key] == nil {
		i.asked[key] = &account{}
	}
	return []*account{flow, i.asked[key]}
}

// asks reports whether the query asks for a request.
func (i *Inquiry) asks(user, schema string) bool {
	return (i.query.User == "" || i.query.User == user) && (i.query.FlowSchema == "" || i.query.FlowSchema == schema)
}

// Observe counts a request of an audit log.
func (i *Inquiry) Observe(e *logs.Event) {
	if !e.Governed() {
		i.ungoverned++
		return
	}
	key, exempt := i.place(e)
	if exempt && !rejectedByBound(e) {
		return
	}
	i.observed++
	if e.FlowControl != nil {
		i.annotated++
	}
	if e.Unfinished {
		i.unfinished++
	}
	if e.GroupsImplied && e.FlowControl == nil {
		i.implied++
	}
	if i.since.IsZero() || e.Received.Before(i.since) {
		i.since = e.Received
	}
	if e.Completed.After(i.until) {
		i.until = e.Completed
	}
	if e.Code == tooManyRequests && !e.Rejected() {
		i.others++
	}
	r := i.read(e, key)
	for _, a := range i.accountsOf(key, i.asks(e.Attributes.User, key.schema)) {
		a.add(r)
	}
}

// rejectedByBound reports whether an exempt request met the bound that flowcontrol-apiserver has for
// them. It says so; any other 429 of an exempt request is not flow control's.
func rejectedByBound(e *logs.Event) bool {
	return e.FlowControl != nil && e.FlowControl.Rejected() || e.FlowControl == nil && e.RejectionReason != ""
}

// place returns the flow of a request, and whether its level is exempt.
func (i *Inquiry) place(e *logs.Event) (flowKey, bool) {
	if f := e.FlowControl; f != nil {
		return flowKey{f.PriorityLevel, f.FlowSchema, f.Distinguisher}, f.PriorityLevel == exempt
	}
	r := i.engine.Begin()
	defer r.End()
	r.Attributes = e.Attributes
	r.Classify()
	// The engine needs no distinguisher for a level without queues.
	return flowKey{r.Level().Name, r.Schema().Name, r.Schema().DistinguisherOf(&e.Attributes)}, r.Exempt()
}
