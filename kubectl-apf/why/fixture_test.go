package why

import (
	"fmt"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// start is when the events begin.
func start() time.Time { return time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) }

func level(name string, shares int32, queues bool) *flowcontrolv1.PriorityLevelConfiguration {
	if queues {
		return objects.Queuing(name, shares, 8, 2, 50)
	}
	return objects.Rejecting(name, shares)
}

// schema matches all requests of a group.
func schema(name, level, group string, method *flowcontrolv1.FlowDistinguisherMethod) *flowcontrolv1.FlowSchema {
	s := objects.Schema(name, level, 500, objects.Rule(objects.Group(group), "*", "*", "*", "*"))
	s.Spec.DistinguisherMethod = method
	return s
}

// site has 100 seats: 10 of level queued, whose schema users divides by user, 5 of
// catch-all, 10 of level rejecting with schema jobs, 10 of level shared, whose schema
// team is one flow, and 65 of level rest.
func site() configuration.Configuration {
	byUser := &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	return configuration.Configuration{
		Total: 100,
		PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{
			level("queued", 10, true), level("rejecting", 10, false), level("shared", 10, true), level("rest", 65, true),
		},
		FlowSchemas: []*flowcontrolv1.FlowSchema{
			schema("users", "queued", "users", byUser),
			schema("jobs", "rejecting", "jobs", byUser),
			schema("team", "shared", "team", nil),
		},
	}
}

// call is a request of an audit log.
type call struct {
	user, group, verb string
	name              string
	list              *trace.ListOptions
	at                time.Duration // after start
	took, wait        time.Duration
	code              int
	told              *annotations
}

// annotations are what flowcontrol-apiserver says of a request.
type annotations struct {
	schema, level, distinguisher string
	seats                        uint64
	outcome                      string
}

func (c call) event() *logs.Request {
	if c.verb == "" {
		c.verb = "get"
	}
	if c.code == 0 {
		c.code = 200
	}
	r := &logs.Request{Request: trace.Request{
		Arrival: start().Add(c.at), Status: c.code, Latency: &metav1.Duration{Duration: c.took},
		User: c.user, Groups: []string{c.group, "system:authenticated"}, Verb: c.verb, APIVersion: "v1", Resource: "pods", Namespace: "a", Name: c.name, List: c.list,
	}}
	r.Completed = r.Arrival.Add(c.took)
	if c.told != nil || c.wait > 0 {
		r.Wait = &metav1.Duration{Duration: c.wait}
	}
	switch t := c.told; {
	case t != nil:
		r.Annotated, r.FlowSchema, r.PriorityLevel, r.Distinguisher = true, t.schema, t.level, t.distinguisher
		r.Seats = &trace.Seats{Initial: max(1, t.seats)}
		if t.outcome != "executed" {
			r.Rejected = t.outcome
		}
	case c.code == http.StatusTooManyRequests:
		r.Rejected = trace.UnknownReason
	}
	return r
}

// told returns the annotations of a request of the schema users.
func told(user string, seats uint64, outcome string) *annotations {
	return &annotations{"users", "queued", user, seats, outcome}
}

func inquire(q Query, replicas []replica.Replica, calls ...call) Result {
	i := New(q, site(), replicas, start())
	for _, c := range calls {
		i.Observe(c.event())
	}
	return i.Result()
}

// said returns the remedies, a line each.
func said(r Result) []string {
	var all []string
	for _, remedy := range r.Remedies {
		line := remedy.Action + " " + remedy.Because
		if remedy.Object != "" {
			line += fmt.Sprintf(" %s %s: %v, %v", remedy.Object, remedy.Field, remedy.From, remedy.To)
		}
		all = append(all, line)
	}
	return all
}

// steady returns a call each second that takes a second, so count seat-seconds.
func steady(user string, seats uint64, count int) []call {
	calls := make([]call, count)
	for i := range calls {
		calls[i] = call{user: user, group: "users", at: time.Duration(i) * time.Second, took: time.Second, told: told(user, seats, "executed")}
	}
	return calls
}
