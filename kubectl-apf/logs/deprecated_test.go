package logs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// kubernetes#106668: parts of the control plane and clients that follow discovery are told apart from clients
// that name the version.
func TestClientsThatFollowDiscoveryAreToldApart(t *testing.T) {
	const kcm = "kube-controller-manager/v1.24.17 (linux/amd64) kubernetes/22a9682/system:serviceaccount:kube-system:generic-garbage-collector"
	foreign := []string{"argoproj.io", "cert-manager.io", "crd.projectcalico.org", "velero.io"}
	kubernetes := []string{"", "apps", "batch", "autoscaling", "storage.k8s.io", "rbac.authorization.k8s.io", "networking.k8s.io", "policy", "discovery.k8s.io", "node.k8s.io", "coordination.k8s.io"}
	for _, test := range []struct {
		name, user, agent string
		verbs, lists      []string
		follows           string
	}{
		{"the garbage collector", "system:serviceaccount:kube-system:generic-garbage-collector", kcm, []string{"watch", "delete"}, nil, "user agent"},
		{"the garbage collector of a distribution", "system:serviceaccount:kube-system:generic-garbage-collector", "k3s/v1.31.4+k3s1 (linux/amd64) kubernetes/a1b2c3d/system:serviceaccount:kube-system:generic-garbage-collector", []string{"watch", "delete"}, nil, "user agent"},
		{"another account of kube-system", "system:serviceaccount:kube-system:webhook", "webhook/v0 (linux/amd64) kubernetes/a1b2c3d", []string{"watch"}, nil, ""},
		{"controllers without service accounts", "system:kube-controller-manager", kcm, []string{"list"}, nil, "by its user"},
		{"kube-apiserver", "system:apiserver", "kube-apiserver/v1.24", []string{"watch"}, nil, "by its user"},
		{"another account that calls itself kube-controller-manager", "system:serviceaccount:shop:x", kcm, []string{"watch"}, nil, ""},
		{"a backup", "system:serviceaccount:velero:velero", "velero-server/v1.9", []string{"list"}, append(kubernetes, foreign...), "at least 15 API groups, 4 of them not of Kubernetes"},
		{"a backup that restores", "system:serviceaccount:velero:velero", "velero-server/v1.9", []string{"list", "create"}, append(kubernetes, foreign...), ""},
		{"a program that is written for many kinds", "system:serviceaccount:monitoring:kube-state-metrics", "kube-state-metrics/v2", []string{"list", "watch"}, kubernetes, ""},
		{"an operator of its own kinds", "system:serviceaccount:shop:op", "op/v1", []string{"list", "watch"}, append(foreign, "apps"), ""},
		{"an informer", "system:serviceaccount:cert:webhook", "webhook/v0", []string{"list", "watch"}, nil, ""},
		{"a get of one object", "alice", "kubectl/v1.24", []string{"get"}, append(kubernetes, foreign...), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls DeprecatedCalls
			send := func(verb, group, removed string) {
				calls.Observe(&Request{Removed: removed, Request: trace.Request{User: test.user, Client: test.agent, Verb: verb, APIGroup: group, APIVersion: "v1beta1", Resource: "podsecuritypolicies"}})
			}
			for _, verb := range test.verbs {
				send(verb, "policy", "1.25")
			}
			for _, group := range test.lists {
				send("list", group, "")
			}
			all := calls.All()
			require.Len(t, all, 1)
			if test.follows == "" {
				assert.Empty(t, all[0].Follows)
			} else {
				assert.Contains(t, all[0].Follows, test.follows)
			}
			assert.Equal(t, len(test.verbs), all[0].Requests)
		})
	}
}
