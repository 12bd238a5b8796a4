package explain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestOptionsAndDefaults(t *testing.T) {
	p := Parser{Mapper: Offline, Namespace: "team", User: "alice", Groups: []string{"devs"}}
	pods, no := Resource{Version: "v1", Resource: "pods", Namespaced: true}, false
	for line, want := range map[string]Request{
		"list pods": {Verb: "list", Resource: pods, Namespace: "team", User: "alice", Groups: []string{"devs"}},
		"get sa builder -n ci --as=system:serviceaccount:ci:builder": {
			Verb: "get", Resource: Resource{Version: "v1", Resource: "serviceaccounts", Namespaced: true}, Name: "builder", Namespace: "ci",
			User: "system:serviceaccount:ci:builder",
		},
		"watch pods -A -l app=web --send-initial-events=false --as bob --as-group=x --as-group y": {
			Verb: "watch", Resource: pods, User: "bob", Groups: []string{"x", "y"}, Options: metav1.ListOptions{LabelSelector: "app=web", SendInitialEvents: &no},
		},
		"list pods --limit 5 --resource-version=0 --resource-version-match NotOlderThan --continue=c --field-selector a=b": {
			Verb: "list", Resource: pods, Namespace: "team", User: "alice", Groups: []string{"devs"},
			Options: metav1.ListOptions{FieldSelector: "a=b", Limit: 5, ResourceVersion: "0", ResourceVersionMatch: "NotOlderThan", Continue: "c"},
		},
		"get /metrics": {Verb: "get", Path: "/metrics", User: "alice", Groups: []string{"devs"}},
	} {
		requests, err := p.Line(line)
		require.NoError(t, err, line)
		assert.Equal(t, []Request{want}, requests, line)
	}
}

func TestResourcesHaveTheNamesThatKubectlAccepts(t *testing.T) {
	deployments := Resource{Group: "apps", Version: "v1", Resource: "deployments", Namespaced: true}
	kinds := meta.NewDefaultRESTMapper(nil)
	kinds.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, meta.RESTScopeNamespace)
	kinds.Add(schema.GroupVersionKind{Version: "v1", Kind: "Node"}, meta.RESTScopeRoot)
	kinds.Add(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, meta.RESTScopeRoot)
	online := FromRESTMapper(kinds)
	for _, m := range []Mapper{Offline, online} {
		for _, name := range []string{"deployments", "deployment", "Deployment", "deployments.apps", "deployments.v1.apps"} {
			found, err := m(name)
			require.NoError(t, err, name)
			assert.Equal(t, deployments, found, name)
		}
		found, err := m("nodes")
		require.NoError(t, err)
		assert.Equal(t, Resource{Version: "v1", Resource: "nodes"}, found)
	}

	found, err := online("widgets.example.com")
	require.NoError(t, err)
	assert.Equal(t, Resource{Group: "example.com", Version: "v1", Resource: "widgets"}, found)
	_, err = online("gadgets")
	require.ErrorContains(t, err, `no resource type "gadgets"`)

	found, err = Offline("widgets.example.com")
	require.NoError(t, err)
	assert.Equal(t, Resource{Group: "example.com", Version: "v1", Resource: "widgets", Namespaced: true, Inferred: true}, found)
	found, err = Offline("widgets.v2beta1.example.com")
	require.NoError(t, err)
	assert.Equal(t, Resource{Group: "example.com", Version: "v2beta1", Resource: "widgets", Namespaced: true, Inferred: true}, found)
	for name, want := range map[string]string{
		"deploy": "deployments.apps", "po": "pods", "ev": "events", "events.events.k8s.io": "events.events.k8s.io",
		"pods.metrics.k8s.io": "pods.metrics.k8s.io", "crd": "customresourcedefinitions.apiextensions.k8s.io",
	} {
		found, err := Offline(name)
		require.NoError(t, err)
		assert.Equal(t, want, found.String())
		assert.False(t, found.Inferred)
	}
	for _, name := range []string{"gadgets", "", "gadgets.", ".apps"} {
		_, err := Offline(name)
		assert.ErrorContains(t, err, "widgets.example.com", name)
	}
}

func TestLinesOfKubectlAreRequestsAsAWhole(t *testing.T) {
	const at = "https://127.0.0.1:6443/apis/apps/v1/namespaces/shop/deployments?limit=500"
	for _, line := range []string{
		"GET " + at, "get " + at, "GET:" + at,
		"I1128 10:00:00.000000   12345 round_trippers.go:553] GET " + at + " 200 OK in 5 milliseconds",
		`I1128 10:00:00.000000   12345 round_trippers.go:632] "Response" verb="GET" url="` + at + `" status="200 OK" headers="" milliseconds=5`,
		"I1128 10:00:00.000000 1 request.go:655] Waited for 1.19s due to client-side throttling, not priority and fairness, request: GET:" + at,
		`I1128 10:00:00.000000 1 request.go:752] "Waited before sending request" delay="1.02s" reason="client-side throttling, not priority and fairness" verb="GET" URL="` + at + `"`,
		`{"ts":1764324000000,"msg":"Waited before sending request","delay":"1.02s","verb":"GET","URL":"` + at + `"}`,
		"I1128 10:00:00.000000 1 round_trippers.go:466] curl -v -XGET  -H \"Accept: application/json\" '" + at + "'",
	} {
		assert.Equal(t, "/apis/apps/v1/namespaces/shop/deployments?limit=500", withoutServer([]string{line})[1], line)
		assert.Equal(t, "/apis/apps/v1/namespaces/shop/deployments?limit=500", withoutServer(strings.Fields(line))[1], line)
	}
	for _, words := range [][]string{{"list", "pods"}, {"get", "/healthz"}, {"get", "pods/https"}} {
		assert.Equal(t, words, withoutServer(words))
	}
}
