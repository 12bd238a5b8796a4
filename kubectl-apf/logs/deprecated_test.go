package logs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

func TestCallsOfDeprecatedVersionsAreCountedByClient(t *testing.T) {
	second := func(n int) time.Time { return at("2026-11-22T10:00:00Z").Add(time.Duration(n) * time.Second) }
	call := func(n int, user, group, resource, removed string) *Request {
		return &Request{Removed: removed, Address: "10.0.0.1", Request: trace.Request{
			Arrival: second(n), User: user, APIGroup: group, APIVersion: "v1beta3", Resource: resource, Client: "agent", Status: 200,
		}}
	}
	var calls DeprecatedCalls
	for n, resource := range []string{"a", "b", "a", "c", "d", "e"} {
		calls.Observe(call(n, "alice", "x.io", resource, "1.40"))
	}
	gone := call(9, "bob", "flowcontrol.apiserver.k8s.io", "flowschemas", "")
	gone.Status = 404
	calls.Observe(gone)
	calls.Observe(call(8, "bob", "flowcontrol.apiserver.k8s.io", "flowschemas", "1.32"))
	calls.Observe(call(1, "system:node:a", "x.io", "a", "1.40"))
	calls.Observe(call(2, "system:node:b", "x.io", "a", "1.40"))
	calls.Observe(call(3, "carol", "x.io", "a", ""))
	calls.Observe(call(3, "", "x.io", "a", "1.40"))
	found := func(kind, name, group, removed string, requests, notFound, last int, resources ...string) lint.DeprecatedCalls {
		return lint.DeprecatedCalls{
			Object: lint.Object{Kind: kind, Name: name}, Group: group, Version: "v1beta3", Removed: removed, Requests: requests, NotFound: notFound,
			Last: second(last), Resources: resources, Agents: []string{"agent"}, Addresses: []string{"10.0.0.1"},
		}
	}
	assert.Equal(t, []lint.DeprecatedCalls{
		found("User", "alice", "x.io", "1.40", 6, 0, 5, "a", "b", "c", "others"),
		found("Group", "system:nodes", "x.io", "1.40", 2, 0, 2, "a"),
		found("User", "bob", "flowcontrol.apiserver.k8s.io", "1.32", 2, 1, 9, "flowschemas"),
	}, calls.All())
}
