package findings

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// sent is a request of a log.
type sent struct {
	user, agent    string
	took, wait     time.Duration
	verb, resource string
	level          string // of a line of -v=3; empty for an audit event
	rejected       bool
}

func (s sent) request() *trace.Request {
	latency := metav1.Duration{Duration: s.took + s.wait}
	r := &trace.Request{
		Arrival: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), User: s.user, Groups: trace.WellKnownGroups(s.user), Client: s.agent, Verb: s.verb, Resource: s.resource,
		APIVersion: "v1", Namespace: "shop", Latency: &latency, PriorityLevel: s.level, FlowSchema: s.level,
	}
	if s.resource == "leases" {
		r.APIGroup = "coordination.k8s.io"
	}
	if s.wait > 0 {
		r.Wait = &metav1.Duration{Duration: s.wait}
	}
	if s.rejected {
		r.Rejected = "queue-full"
	}
	return r
}

// What the logs tell is compared whole. Package lint judges it.
func TestTraffic(t *testing.T) {
	const user, low = "system:serviceaccount:shop:op", "workload-low"
	short := time.Second / 64 // less than aWait
	c := builtIn(t)
	c.FlowSchemas[9].UID = "uid" // service-accounts, on workload-low
	traffic := NewTraffic(c)
	list := sent{user: user, agent: "op/v1", took: 2 * time.Second, verb: "list", resource: "pods", level: low}.request()
	list.Seats = &trace.Seats{Initial: 4}
	free := sent{user: user, agent: "op/v1", took: short, verb: "update", resource: "leases", level: low}.request()
	free.Seats = &trace.Seats{}
	traffic.Observe(list)
	traffic.Observe(free)
	for _, s := range []sent{
		{user: user, agent: "op/v1", took: short, wait: time.Second, verb: "update", resource: "leases", level: low},
		{user: user, agent: "op/v1", verb: "get", resource: "pods", level: low, rejected: true},
		{user: user, agent: "op/v1", took: short, verb: "get", resource: "leases"},
		{verb: "get", resource: "pods"},
	} {
		traffic.Observe(s.request())
	}
	pods := flow.Attributes{Verb: "list", IsResourceRequest: true, APIVersion: "v1", Resource: "pods"}
	for _, w := range []logs.Wait{
		{Delay: 2 * time.Second, Attributes: pods}, {Delay: time.Second, Failed: true}, {Delay: 3 * time.Second, ByServer: true},
		{Delay: time.Second, ByServer: true, FlowSchema: "uid"}, {Delay: short, ByServer: true, FlowSchema: "uid"},
	} {
		traffic.Say("op.log", user, &w)
	}
	traffic.Say("quiet.log", "", &logs.Wait{Delay: time.Second, ByServer: true})
	traffic.Say("other.log", "", &logs.Wait{Delay: time.Second, Attributes: pods})
	for _, f := range []logs.FailedList{{Version: "v1beta3", Warning: true}, {Version: "v1beta3"}, {Version: "v1beta3", Forbidden: true, User: user}} {
		traffic.FailedList("w.log", "", f)
	}
	op := lint.Object{Kind: "User", Name: user}
	assert.Equal(t, &lint.Traffic{
		Clients: []lint.Client{
			{User: user, Program: "op", FlowSchema: "service-accounts", PriorityLevel: low, Requests: 1},
			{User: user, Program: "op", FlowSchema: low, PriorityLevel: low, Requests: 4, HeldUp: 2, SeatSeconds: 8, Leases: 2, HeldUpLeases: 1},
		},
		Levels: map[string]lint.LevelTraffic{low: {SeatSeconds: 8 + 3./64, HeldUp: 4, Known: 4}},
		Limits: []lint.LimitedClient{
			{Object: op, PriorityLevel: low, Said: 2, Failed: 1, Longest: 2 * time.Second, SaidServer: 3, Rejected: 2, LongestRejected: time.Second},
			{Object: lint.Object{Kind: "Log", Name: "other.log"}, Said: 1, Longest: time.Second},
		},
		Lists: []lint.FailedList{
			{Object: lint.Object{Kind: "Log", Name: "w.log"}, Version: "v1beta3", Warnings: 1, Errors: 1},
			{Object: op, Version: "v1beta3", Forbidden: true, Errors: 1},
		},
		LeftOut: "Requests that the logs leave out are not counted.",
	}, traffic.Result())
	assert.Equal(t, []string{
		"Findings about clients: the logs name no flow schema for 1 of 6 requests; the configuration of now names it.",
		"Findings about clients: 1 of 6 requests are not judged, because their user and level are unknown, or because there are too many clients.",
	}, traffic.Notes())
}
