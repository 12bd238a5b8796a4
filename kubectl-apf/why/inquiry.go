package why

import (
	"time"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// maxSaid bounds the messages of handlers that are told.
const maxSaid = 5

// Query says which requests a result is about. Empty fields select everything.
type Query struct {
	// User is the user whom flow control sees: the impersonated one, if any.
	User       string
	FlowSchema string
	// Servers is the least number of API servers whose events are observed; 0 means one.
	Servers int
}

// Inquiry collects the evidence. Create one with New. It is not safe for concurrent
// use.
type Inquiry struct {
	query         Query
	configuration configuration.Configuration
	replicas      []replica.Replica
	inForce       *configuration.InForce
	estimator     estimate.Estimator
	facts         map[kschema.GroupResource]replica.Fact // of replicas, so far

	// all are the flows, asked the same for the requests of the query.
	all, asked map[flowKey]*usage
	// The span of the evidence is zero if it tells no times.
	span
	windows map[string]window // by level
	servers map[string]span   // by name
	// byServer are the requests of a level on one server.
	byServer map[serverKey]*usage

	observed, annotated int
	others              map[string]int // responses 429 of handlers, by what they say
	unfinished, implied int            // events without an end, without groups
	unknownLevels       map[string]bool
	seen                seen
	deprecated          logs.DeprecatedCalls
}

// New returns an Inquiry with the enforced configuration, and what replicas tell.
func New(q Query, c configuration.Configuration, replicas []replica.Replica, now time.Time) *Inquiry {
	q.Servers = max(q.Servers, 1)
	i := &Inquiry{
		query: q, configuration: c, replicas: replicas, inForce: c.InForce(now), facts: map[kschema.GroupResource]replica.Fact{},
		all: map[flowKey]*usage{}, asked: map[flowKey]*usage{}, unknownLevels: map[string]bool{}, others: map[string]int{},
		windows: map[string]window{}, servers: map[string]span{}, byServer: map[serverKey]*usage{},
	}
	i.estimator, _, _ = c.Estimator()
	return i
}

// usagesOf returns the usages that a request belongs to: its flow's, and if the
// query asks for it the one of the query.
func (i *Inquiry) usagesOf(key flowKey, asked bool) []*usage {
	flow := i.all[key]
	if flow == nil {
		flow = &usage{}
		i.all[key] = flow
	}
	if !asked {
		return []*usage{flow}
	}
	if i.asked[key] == nil {
		i.asked[key] = &usage{}
	}
	return []*usage{flow, i.asked[key]}
}

// asks reports whether the query asks for a request.
func (i *Inquiry) asks(user, schema string) bool {
	return (i.query.User == "" || i.query.User == user) && (i.query.FlowSchema == "" || i.query.FlowSchema == schema)
}

// Observe counts a request of an audit log.
func (i *Inquiry) Observe(r *logs.Request) {
	i.seen.add(r)
	if i.query.User == "" || i.query.User == r.User {
		i.deprecated.Observe(r)
	}
	attributes := r.Attributes()
	key, exempt := i.place(r, &attributes)
	// flowcontrol-apiserver has a bound for exempt requests, and says so; any other 429 of an exempt
	// request is not flow control's.
	if exempt && (r.Rejected == "" || r.Rejected == trace.UnknownReason) {
		return
	}
	i.observed++
	if r.Annotated {
		i.annotated++
	} else if r.GroupsImplied {
		i.implied++
	}
	if r.Completed.IsZero() {
		i.unfinished++
	}
	if r.OtherRejection() {
		if said := r.Said; len(i.others) < maxSaid || i.others[said] > 0 {
			i.others[said]++
		} else {
			i.others[""]++
		}
	}
	i.include(r.Arrival, r.End())
	reason, width, part := i.reason(r, key), i.width(r, &attributes, key.level), i.part(r, key.level)
	for _, a := range append(i.usagesOf(key, i.asks(r.User, key.schema)), i.serverUsage(serverKey{key.level, r.Replica})) {
		a.add(r, &attributes, reason, width, part)
	}
}

func (i *Inquiry) serverUsage(key serverKey) *usage {
	if i.byServer[key] == nil {
		i.byServer[key] = &usage{}
	}
	return i.byServer[key]
}

// place returns the flow of a request, and whether its level is exempt.
func (i *Inquiry) place(r *logs.Request, a *flow.Attributes) (flowKey, bool) {
	if r.Annotated {
		return flowKey{r.PriorityLevel, r.FlowSchema, r.Distinguisher}, r.PriorityLevel == exempt
	}
	schema := i.inForce.Classify(a)
	if r.PriorityLevel != "" { // a line of -v=3 names it, and not always a user
		key := flowKey{r.PriorityLevel, r.FlowSchema, ""}
		if schema.Name == r.FlowSchema && r.User != "" {
			key.distinguisher = schema.DistinguisherOf(a)
		}
		return key, key.level == exempt
	}
	// The engine needs no distinguisher for a level without queues.
	return flowKey{schema.Level, schema.Name, schema.DistinguisherOf(a)}, schema.Level == exempt
}
