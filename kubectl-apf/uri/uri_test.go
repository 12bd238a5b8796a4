package uri_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

func TestRequestOfAURI(t *testing.T) {
	pods := flow.Attributes{Verb: "list", IsResourceRequest: true, APIVersion: "v1", Resource: "pods", Path: "/api/v1/pods"}
	scale := flow.Attributes{
		Verb: "patch", IsResourceRequest: true, APIGroup: "apps", APIVersion: "v1", Resource: "deployments", Subresource: "scale",
		Namespace: "a", Name: "web", Path: "/apis/apps/v1/namespaces/a/deployments/web/scale",
	}
	named := pods
	named.Name = "one"
	watch := pods
	watch.Verb = "watch"
	for _, test := range []struct {
		name, method, address string
		want                  flow.Attributes
	}{
		{"a path with a query", "GET", "/api/v1/pods?limit=500", pods},
		{"the URL of a client", "GET", "https://10.0.0.1:6443/api/v1/pods?limit=500", pods},
		{"the verb of a line of httplog", "LIST", "/api/v1/pods?limit=500", pods},
		{"a watch", "WATCH", "/api/v1/pods?limit=500&watch=true", watch},
		{"a list of one object", "LIST", "/api/v1/pods?limit=500&fieldSelector=metadata.name%3Done", named},
		{"server-side apply of a subresource", "APPLY", "/apis/apps/v1/namespaces/a/deployments/web/scale?limit=500", scale},
		{"a path of no resource", "GET", "/readyz?limit=500", flow.Attributes{Verb: "get", Path: "/readyz"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, query, err := uri.Parse(test.method, test.address)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			assert.Equal(t, "500", query.Get("limit"))
		})
	}
	for _, address := range []string{"", "api/v1/pods", "https://10.0.0.1", "*", "/%"} {
		_, _, err := uri.Parse("GET", address)
		require.ErrorContains(t, err, "must be a path", address)
	}
}
