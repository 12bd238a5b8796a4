package lint

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// served are the resources of a small API server.
func served() []Resource {
	return []Resource{
		{Name: "pods", Namespaced: true}, {Name: "nodes"}, {Name: "namespaces"},
		{Group: "coordination.k8s.io", Name: "leases", Namespaced: true}, {Group: "storage.k8s.io", Name: "csinodes"},
	}
}

// servedRequests are all requests that its routes serve, as k8s.io/apiserver installs them for each
// resource (endpoints.APIInstaller), as its RequestInfoFactory reads them.
func servedRequests(t *testing.T) []flow.Attributes {
	t.Helper()
	var requests []flow.Attributes
	add := func(method, path string) {
		requests = append(requests, attributesOf(t, method, path))
	}
	object := func(path string) {
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			add(method, path)
		}
	}
	for _, resource := range served() {
		root := "/api/v1"
		if resource.Group != "" {
			root = "/apis/" + resource.Group + "/v1"
		}
		collection := root + "/" + resource.Name
		add("GET", collection)
		add("GET", collection+"?watch=1")
		if resource.Namespaced {
			collection = root + "/namespaces/team/" + resource.Name
			add("GET", collection)
			add("GET", collection+"?watch=1")
		}
		add("POST", collection)
		add("DELETE", collection)
		object(collection + "/one")
		add("GET", root+"/watch"+collection[len(root):]+"/one")
		for _, subresource := range []string{"status", "exec", "finalize"} {
			if resource.Name != "namespaces" || subresource != "exec" {
				object(collection + "/one/" + subresource)
				add("POST", collection+"/one/"+subresource)
			}
		}
	}
	return requests
}

func attributesOf(t *testing.T, method, path string) flow.Attributes {
	t.Helper()
	r, err := http.NewRequest(method, path, http.NoBody)
	require.NoError(t, err)
	info, err := (&request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}).NewRequestInfo(r)
	require.NoError(t, err)
	require.True(t, info.IsResourceRequest)
	return flow.Attributes{
		User: "system:serviceaccount:team:worker", Groups: []string{"system:serviceaccounts", "system:authenticated"},
		IsResourceRequest: true, Verb: info.Verb, APIGroup: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace,
	}
}

// TestARuleIsNeverMatchedExactlyIfNoRequestMatches searches: a rule has FC114 exactly if the
// classifier finds no request for it among all that a small API server serves.
func TestAResourceOfTwoGroupsIsServedInEach(t *testing.T) {
	k := newKnown(&Facts{Resources: []Resource{{Name: "events"}, {Group: "events.k8s.io", Name: "events"}}})
	for range 50 { // a map has no order
		for _, group := range []string{"", "events.k8s.io"} {
			require.True(t, k.servedIn([]string{group})("events"), group)
		}
	}
}

func TestARuleIsNeverMatchedExactlyIfNoRequestMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 8))
	requests := servedRequests(t)
	facts := newKnown(&Facts{Resources: served()})
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	resources := []string{"pods", "nodes", "namespaces", "leases", "csinodes"}
	pick := func(from []string) []string {
		if random.IntN(5) == 0 {
			return []string{wildcard}
		}
		picked := []string{from[random.IntN(len(from))]}
		if random.IntN(3) == 0 {
			picked = append(picked, from[random.IntN(len(from))])
		}
		return picked
	}
	seen, dead := map[bool]int{}, map[bool]int{}
	for range 3000 {
		rule := flowcontrolv1.ResourcePolicyRule{Verbs: pick(verbs), ClusterScope: random.IntN(2) == 0}
		of := served()[random.IntN(len(served()))]
		rule.APIGroups, rule.Resources = []string{of.Group}, []string{of.Name}
		switch random.IntN(4) {
		case 0:
			rule.Resources = []string{of.Name + "/" + []string{"status", "exec", "finalize"}[random.IntN(3)]}
		case 1:
			rule.APIGroups, rule.Resources = []string{wildcard}, pick(resources)
		case 2:
			rule.Resources = []string{wildcard}
		}
		if !rule.ClusterScope || random.IntN(2) == 0 {
			rule.Namespaces = []string{wildcard}
		}
		schema := schemaOf("mine", 1000, flowcontrolv1.PolicyRulesWithSubjects{
			Subjects: []flowcontrolv1.Subject{anAccount("team", "worker")}, ResourceRules: []flowcontrolv1.ResourcePolicyRule{rule},
		})
		schema.Spec.PriorityLevelConfiguration.Name = "present"
		c := classifier(schema)
		never := true
		for i := range requests {
			never = never && c.Match(&requests[i]) < 0
		}
		require.Equal(t, never, facts.reachOf(&rule).isNever(rule.Verbs), fmt.Sprint(text(rule)))
		seen[never]++
		if never || len(rule.Verbs) == 1 {
			continue
		}
		for _, verb := range rule.Verbs {
			matches := slices.ContainsFunc(requests, func(request flow.Attributes) bool { return request.Verb == verb && c.Match(&request) >= 0 })
			require.Equal(t, !matches, facts.reachOf(&rule).isDead(verb), "%s of %s", verb, text(rule))
			dead[!matches]++
		}
	}
	assert.Greater(t, dead[true], 30)
	assert.Greater(t, dead[false], 300)
	assert.Greater(t, seen[true], 300)
	assert.Greater(t, seen[false], 300)
}
