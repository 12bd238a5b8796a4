package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestsAreReadAsAServerReadsThem(t *testing.T) {
	for line, want := range map[string]Attributes{
		"list pods --namespace x":                              {Verb: "list", Method: "GET", URL: "/api/v1/namespaces/x/pods", Resource: "pods", Namespace: "x"},
		"list pods -A --limit=500":                             {Verb: "list", Method: "GET", URL: "/api/v1/pods?limit=500", Resource: "pods"},
		"get deploy web -n x":                                  {Verb: "get", Method: "GET", URL: "/apis/apps/v1/namespaces/x/deployments/web", APIGroup: "apps", Resource: "deployments", Namespace: "x", Name: "web"},
		"get deployments.apps":                                 {Verb: "list", Method: "GET", URL: "/apis/apps/v1/namespaces/default/deployments", APIGroup: "apps", Resource: "deployments", Namespace: "default"},
		"list secrets token -n x":                              {Verb: "list", Method: "GET", URL: "/api/v1/namespaces/x/secrets?fieldSelector=metadata.name%3Dtoken", Resource: "secrets", Namespace: "x", Name: "token"},
		"list secrets --field-selector=metadata.name=token -A": {Verb: "list", Method: "GET", URL: "/api/v1/secrets?fieldSelector=metadata.name%3Dtoken", Resource: "secrets", Name: "token"},
		"watch pods web --field-selector status.phase=Running": {Verb: "watch", Method: "GET", URL: "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dweb%2Cstatus.phase%3DRunning&watch=true", Resource: "pods", Namespace: "default", Name: "web"},
		"watch nodes":                                          {Verb: "watch", Method: "GET", URL: "/api/v1/nodes?watch=true", Resource: "nodes"},
		"create pods web":                                      {Verb: "create", Method: "POST", URL: "/api/v1/namespaces/default/pods", Resource: "pods", Namespace: "default"},
		"create pods/eviction web":                             {Verb: "create", Method: "POST", URL: "/api/v1/namespaces/default/pods/web/eviction", Resource: "pods", Subresource: "eviction", Namespace: "default", Name: "web"},
		"patch nodes/status n1":                                {Verb: "patch", Method: "PATCH", URL: "/api/v1/nodes/n1/status", Resource: "nodes", Subresource: "status", Name: "n1"},
		"update leases -n kube-system":                         {Verb: "update", Method: "PUT", URL: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/NAME", APIGroup: "coordination.k8s.io", Resource: "leases", Namespace: "kube-system"},
		"get pods --subresource=log":                           {Verb: "get", Method: "GET", URL: "/api/v1/namespaces/default/pods/NAME/log", Resource: "pods", Subresource: "log", Namespace: "default"},
		"delete pods":                                          {Verb: "deletecollection", Method: "DELETE", URL: "/api/v1/namespaces/default/pods", Resource: "pods", Namespace: "default"},
		"deletecollection pods -A":                             {Verb: "deletecollection", Method: "DELETE", URL: "/api/v1/pods", Resource: "pods"},
		"get ns kube-system":                                   {Verb: "get", Method: "GET", URL: "/api/v1/namespaces/kube-system", Resource: "namespaces", Namespace: "kube-system", Name: "kube-system"},
		"update ns/finalize old":                               {Verb: "update", Method: "PUT", URL: "/api/v1/namespaces/old/finalize", Resource: "namespaces", Subresource: "finalize", Namespace: "old", Name: "old"},
		"list ns":                                              {Verb: "list", Method: "GET", URL: "/api/v1/namespaces", Resource: "namespaces"},
		"get widgets.example.com w -n x":                       {Verb: "get", Method: "GET", URL: "/apis/example.com/v1/namespaces/x/widgets/w", APIGroup: "example.com", Resource: "widgets", Namespace: "x", Name: "w"},
		"get /api/v1/namespaces/x/pods?limit=5":                {Verb: "list", Method: "GET", URL: "/api/v1/namespaces/x/pods?limit=5", Resource: "pods", Namespace: "x"},
		"watch /apis/apps/v1/deployments":                      {Verb: "watch", Method: "GET", URL: "/apis/apps/v1/deployments?watch=true", APIGroup: "apps", Resource: "deployments"},
	} {
		t.Run(line, func(t *testing.T) {
			got := explained(t, input(), line).Request
			want.ResourceRequest = true
			want.User, want.Groups = "alice", []string{"system:authenticated"}
			assert.Equal(t, want, got)
		})
	}
	for line, want := range map[string]Attributes{
		"get /healthz":                 {Verb: "get", Method: "GET", URL: "/healthz"},
		"post /oauth/token?a=b":        {Verb: "post", Method: "POST", URL: "/oauth/token?a=b"},
		"get /apis/apps/v1":            {Verb: "get", Method: "GET", URL: "/apis/apps/v1"},
		"head /api":                    {Verb: "head", Method: "HEAD", URL: "/api"},
		"get /openapi/v3/apis/apps/v1": {Verb: "get", Method: "GET", URL: "/openapi/v3/apis/apps/v1"},
	} {
		t.Run(line, func(t *testing.T) {
			got := explained(t, input(), line).Request
			want.User, want.Groups = "alice", []string{"system:authenticated"}
			assert.Equal(t, want, got)
		})
	}
}

func TestANamespaceIsNotBelowItself(t *testing.T) {
	a, err := New(input()).Explain(Request{Verb: "get", Resource: Resource{Resource: "namespaces"}, Namespace: "a", Name: "a", User: "alice"})
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/namespaces/a", a.Request.URL)
}

func TestObjectsAreNamedAsInKubectl(t *testing.T) {
	for line, want := range map[string][]string{
		"get pods/web-1 -n shop":                         {"GET /api/v1/namespaces/shop/pods/web-1"},
		"get po web-1 web-2":                             {"GET /api/v1/namespaces/default/pods/web-1", "GET /api/v1/namespaces/default/pods/web-2"},
		"get pods/web svc/web":                           {"GET /api/v1/namespaces/default/pods/web", "GET /api/v1/namespaces/default/services/web"},
		"list pods,services -A":                          {"GET /api/v1/pods", "GET /api/v1/services"},
		"delete deploy,svc web":                          {"DELETE /apis/apps/v1/namespaces/default/deployments/web", "DELETE /api/v1/namespaces/default/services/web"},
		"get deployments.v1.apps/web":                    {"GET /apis/apps/v1/namespaces/default/deployments/web"},
		"get Deployment.apps web":                        {"GET /apis/apps/v1/namespaces/default/deployments/web"},
		"patch no/n1 --subresource=status":               {"PATCH /api/v1/nodes/n1/status"},
		"get deploy/web --subresource=scale":             {"GET /apis/apps/v1/namespaces/default/deployments/web/scale"},
		"create deployments/scale web -n x":              {"POST /apis/apps/v1/namespaces/x/deployments/web/scale"},
		"create pods/eviction":                           {"POST /api/v1/namespaces/default/pods/NAME/eviction"},
		"GET:https://10.0.0.1:443/api/v1/pods?limit=500": {"GET /api/v1/pods?limit=500"},
		"PUT https://host/api/v1/nodes/n1":               {"PUT /api/v1/nodes/n1"},
		"get --raw=/apis/apps/v1/deployments?limit=5":    {"GET /apis/apps/v1/deployments?limit=5"},
		"watch pods/web":                                 {"GET /api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dweb&watch=true"},
		"list pods web -l app=web":                       {"GET /api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dweb&labelSelector=app%3Dweb"},
	} {
		t.Run(line, func(t *testing.T) {
			requests, err := lineParser().Line(line)
			require.NoError(t, err)
			var got []string
			for _, request := range requests {
				answer, err := New(input()).Explain(request)
				require.NoError(t, err)
				got = append(got, answer.Request.Method+" "+answer.Request.URL)
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestANameThatMayBeASubresourceIsNoted(t *testing.T) {
	a := explained(t, input(), "get pods/log")
	assert.Equal(t, "log", a.Request.Name)
	assert.Empty(t, a.Request.Subresource)
	assert.Contains(t, a.Notes, `"log" is read as the name of an object, as kubectl does. For the subresource, add --subresource=log instead.`)
	assert.Empty(t, explained(t, input(), "get pods/web").Notes)
	assert.Empty(t, explained(t, input(), "get pods log").Notes)
}

func TestAChangedVerbIsNoted(t *testing.T) {
	assert.Contains(t, explained(t, input(), "get pods").Notes, "For the API server the verb of this request is list, not get.")
	assert.Contains(t, explained(t, input(), "list pods web").Notes, "A list of one name is a list with the field selector metadata.name=web.")
	assert.Empty(t, explained(t, input(), "list pods").Notes)
}

func TestWhatIsNoRequestIsRejected(t *testing.T) {
	for line, want := range map[string]string{
		"impersonate pods":                    "verb",
		"connect /healthz":                    "HTTP method",
		"deletecollection pods a":             "no name",
		"get pods ..":                         "must not be a path",
		"get pods/a b c":                      "not both",
		"get pods/a services":                 "not both",
		"get services pods/a":                 "not both",
		"get pods/a/b":                        "one resource, a slash and one name",
		"get pods/ svc/b":                     "one resource, a slash and one name",
		"get pods,svc/b":                      "one resource, a slash and one name",
		"get pods,":                           "one comma",
		"get pods/a -A":                       "-A must not be given",
		"get pods/a -l b=c":                   "a name and a selector",
		"delete pods a --field-selector=b=c":  "a name and a selector",
		"get pods/status x --subresource=log": "once",
		"get --raw=/healthz pods":             "must not follow",
		"get --raw=healthz":                   "slash",
		"get":                                 "VERB RESOURCE",
		"get /healthz x":                      "must not follow",
		"get widgets":                         "widgets.example.com",
		"list pods -A -n x":                   "together",
		"get pods web -A":                     "-A must not be given",
		"create pods -A":                      "-A must not be given",
		"list pods --limit=many":              "limit",
		"list pods --unknown":                 "unknown flag",
		"list /api/v1/secrets?limit=many":     "the API server rejects it",
		"list pods --field-selector=a":        "the API server rejects it",
	} {
		t.Run(line, func(t *testing.T) {
			requests, err := lineParser().Line(line)
			if err == nil {
				_, err = New(input()).Explain(requests[0])
			}
			assert.ErrorContains(t, err, want)
		})
	}
	_, err := New(input()).Explain(Request{Verb: "get", Path: "/healthz"})
	require.ErrorContains(t, err, "user")
}

func TestGroupsAreCompletedAsByImpersonation(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		want    []string
	}{
		"a user is authenticated":              {"--as=alice --as-group=devs", []string{"devs", "system:authenticated"}},
		"a service account has its groups":     {"--as=system:serviceaccount:ci:runner", []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}},
		"given groups replace an account's":    {"--as=system:serviceaccount:ci:runner --as-group=devs", []string{"devs", "system:authenticated"}},
		"an anonymous user is unauthenticated": {"--as=system:anonymous", []string{"system:unauthenticated"}},
		"either group is kept":                 {"--as=alice --as-group=system:unauthenticated", []string{"system:unauthenticated"}},
		"what only looks like an account":      {"--as=system:serviceaccount:ci", []string{"system:authenticated"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, explained(t, input(), "list pods "+c.options).Request.Groups)
		})
	}
	assert.Contains(t, explained(t, input(), "list pods --as=system:node:n1").Notes[0], "--as-group=system:nodes")
	assert.Empty(t, explained(t, input(), "list pods --as=system:node:n1 --as-group=system:nodes").Notes)
}
