package findings

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// begin is when the requests of these tests begin.
func begin() time.Time { return time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) }

// sent is a request of a log.
type sent struct {
	user, agent    string
	at, took, wait time.Duration // at is after begin
	verb, resource string
	level          string // of a line of -v=3; empty for an audit event
	rejected       bool
}

func (s sent) request() *trace.Request {
	latency := metav1.Duration{Duration: s.took + s.wait}
	r := &trace.Request{
		Arrival: begin().Add(s.at), User: s.user, Groups: trace.WellKnownGroups(s.user), Client: s.agent, Verb: s.verb, Resource: s.resource,
		APIVersion: "v1", Namespace: "shop", Latency: &latency, PriorityLevel: s.level, FlowSchema: s.level,
	}
	if r.Groups == nil {
		r.Groups = []string{"system:authenticated"}
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

// lintOf returns the findings about the requests on the built-in configuration, whose level
// global-default has 49 seats, workload-low 245 and workload-high 98.
func lintOf(t *testing.T, requests ...sent) []string {
	t.Helper()
	slices.SortStableFunc(requests, func(a, b sent) int { return int(a.at - b.at) })
	result := of(t, Input{Below: builtIn(t), Read: func(traffic *Traffic) ([]string, error) {
		for _, s := range requests {
			traffic.Observe(s.request())
		}
		return nil, nil
	}})
	found := []string{}
	for _, f := range result.Findings {
		found = append(found, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object))
	}
	return found
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

func TestAgentsOfNodesAreFoundInLogs(t *testing.T) {
	from := func(user string) sent {
		return sent{user: user, agent: user + "/v1", verb: "list", resource: "services"}
	}
	for _, test := range []struct {
		name string
		log  sent
		want []string
	}{
		{"kube-proxy with a certificate", from("system:kube-proxy"), []string{"warning FC601 User/system:kube-proxy"}},
		{"kube-proxy with the service account of kubeadm", from("system:serviceaccount:kube-system:kube-proxy"), []string{}},
		{"a user", from("alice"), []string{}},
		{"a line of kube-proxy without a user", sent{agent: "kube-proxy/v1.33.0 (linux/amd64)", verb: "list", resource: "services", level: "global-default"}, []string{"warning FC601 Program/kube-proxy"}},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, lintOf(t, test.log)) })
	}
}

// operator sends work, and a write of its lease every two seconds, for 20 seconds.
func operator(user string, parallel int, wait time.Duration) []sent {
	var all []sent
	for k := range 200 {
		at := time.Duration(k)*100*time.Millisecond + time.Duration(k*k%7)*time.Millisecond
		for range parallel {
			all = append(all, sent{user: user, agent: "op", at: at, took: 95 * time.Millisecond, wait: wait, verb: "update", resource: "deployments"})
		}
		if k%20 == 0 {
			all = append(all, sent{user: user, agent: "op", at: at, took: 5 * time.Millisecond, wait: wait, verb: "update", resource: "leases"})
		}
	}
	return all
}

func TestLeasesInTheLevelThatTheirOperatorFills(t *testing.T) {
	const user, other = "system:serviceaccount:shop:op", "system:serviceaccount:shop:other"
	for _, test := range []struct {
		name string
		log  []sent
		want []string
	}{
		{"requests wait", operator(user, 5, time.Second), []string{"warning FC602 User/" + user}},
		{"nothing waits", operator(user, 5, 0), []string{}},
		{"others use more", append(operator(user, 2, time.Second), operator(other, 9, time.Second)...), []string{"warning FC602 User/" + other}},
		{"its leases are in another level", operator("system:serviceaccount:kube-system:op", 5, time.Second), []string{}},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, lintOf(t, test.log...)) })
	}
}

func TestLimitsOfClientsAreFoundInTheirLogs(t *testing.T) {
	const user = "system:serviceaccount:shop:op"
	asks := func(requests ...sent) []string {
		result := of(t, Input{Below: builtIn(t), Read: func(traffic *Traffic) ([]string, error) {
			for _, s := range requests {
				traffic.Observe(s.request())
			}
			pods := flow.Attributes{Verb: "list", IsResourceRequest: true, APIVersion: "v1", Resource: "pods"}
			traffic.Say("op.log", user, &logs.Wait{Delay: 2 * time.Second, Attributes: pods})
			return nil, nil
		}})
		var found []string
		for _, f := range result.Findings {
			found = append(found, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object))
		}
		return found
	}
	one := sent{user: user, agent: "c", took: 10 * time.Millisecond, verb: "get", resource: "pods"}
	full := sent{user: "system:serviceaccount:shop:other", agent: "o", at: 20 * time.Second, verb: "get", resource: "pods", rejected: true}
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(), "without requests nothing is known")
	assert.Equal(t, []string{"warning FC603 User/" + user}, asks(one), "so short a request did not wait")
	one.took = 300 * time.Millisecond
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(one), "the log does not tell how long it waited")
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(full), "flow control held requests of the level up")
}
