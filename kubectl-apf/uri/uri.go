// Package uri reads requests from their methods and URIs, as API servers do.
package uri

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Parse returns what flow control classifies of a request, without user and groups, and the
// parameters of its URI. method is an HTTP method, or a verb in capitals as httplog writes it.
// address is a path with its query, or a whole URL.
func Parse(method, address string) (flow.Attributes, url.Values, error) {
	at, err := url.ParseRequestURI(address)
	if err != nil || !strings.HasPrefix(at.Path, "/") {
		return flow.Attributes{}, nil, fmt.Errorf("has the URI %q, must be a path", address)
	}
	info, err := Info(methodOf(method), at)
	if err != nil {
		return flow.Attributes{}, nil, fmt.Errorf("has the URI %q: %w", address, err)
	}
	return flow.Attributes{
		Verb: info.Verb, IsResourceRequest: info.IsResourceRequest, APIGroup: info.APIGroup, APIVersion: info.APIVersion,
		Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace, Name: info.Name, Path: info.Path,
	}, at.Query(), nil
}

// Info returns what API servers read from a method and a URL.
func Info(method string, at *url.URL) (*apirequest.RequestInfo, error) {
	factory := apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	return factory.NewRequestInfo(&http.Request{Method: method, URL: at})
}

// methodOf returns the HTTP method of a verb of httplog.
func methodOf(verb string) string {
	switch verb {
	case "LIST", "WATCH", "WATCHLIST":
		return http.MethodGet
	case "APPLY":
		return http.MethodPatch
	case "CONNECT":
		return http.MethodPost // it may be another one; connections are long-running
	default:
		return verb
	}
}
