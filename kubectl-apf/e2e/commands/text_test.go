package commands_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// text returns what a request is for the API server: verb, group and version, resource and
// subresource, name and namespace; or verb and path.
func text(t *testing.T, method string, of *url.URL) string {
	t.Helper()
	factory := apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(&http.Request{Method: method, URL: of})
	require.NoError(t, err)
	if !info.IsResourceRequest {
		return info.Verb + " " + info.Path
	}
	out := info.Verb + " " + info.APIGroup + "/" + info.APIVersion + " " + info.Resource
	if info.Subresource != "" {
		out += "/" + info.Subresource
	}
	if info.Name != "" {
		out += " " + info.Name
	}
	if info.Namespace != "" {
		out += " -n " + info.Namespace
	}
	return out
}
