package server

import (
	"net/http"
	"slices"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// chainFilter is a filter of this server around or inside the handler chain of the library,
// genericapiserver.DefaultBuildHandlerChain.
type chainFilter struct {
	name   string
	reason string
	// inside is set if the filter comes after the library's, and before the API.
	inside bool
	// enabled is not set if the configuration does without the filter.
	enabled bool
	wrap    func(handler http.Handler) http.Handler
}

// chainFilters lists this server's filters, the outermost first. pkg/apf/options adds flow control's
// own between the ones around the chain and the ones inside.
func chainFilters(c *genericapiserver.Config, delegated bool, deprecations map[string]string, messages []filters.CheckMessage) []chainFilter {
	return []chainFilter{
		{"filters.WithPresentClients", "drops a request whose HTTP/2 stream was reset before it started", false, true, filters.WithPresentClients},
		{"filters.WithConnectionDraining", "moves clients to another replica before shutdown", false, c.ShutdownDelayDuration > 0, func(handler http.Handler) http.Handler {
			return filters.WithConnectionDraining(handler, draining(c.ShutdownInitiatedNotify(), c.ShutdownDelayDuration))
		}},
		{"filters.WithReviewAnswers", "429 or 503 for unauthenticated clients while kube-apiserver does not review their credentials or permissions", false, delegated, func(handler http.Handler) http.Handler {
			return filters.WithReviewAnswers(handler, c.Serializer)
		}},
		{"filters.WithBoundedAliases", "400 for YAML whose aliases expand to gigabytes", true, true, func(handler http.Handler) http.Handler {
			return filters.WithBoundedAliases(handler, c.MaxRequestBodyBytes)
		}},
		{"filters.WithDeprecationWarnings", "a warning for v1beta3, including on routes that do not exist", true, true, func(handler http.Handler) http.Handler {
			return filters.WithDeprecationWarnings(handler, deprecations)
		}},
		{"filters.WithOpenAPIForAnyHash", "OpenAPI: no redirect, since a kube-apiserver in front does not pass it on; 404 for an unknown version", true, true, filters.WithOpenAPIForAnyHash},
		{"filters.WithCheckMessages", "adds the remedy to a failing check of /readyz", true, true, func(handler http.Handler) http.Handler {
			return filters.WithCheckMessages(handler, messages)
		}},
	}
}

// addFilters puts this server's filters around the handler chain and into it.
func addFilters(delegated bool, generic *genericapiserver.Config, messages []filters.CheckMessage) {
	deprecations := filters.DeprecationWarnings(generic.MergedResourceConfig.ResourceEnabled)
	build := generic.BuildHandlerChainFunc
	generic.BuildHandlerChainFunc = func(handler http.Handler, used *genericapiserver.Config) http.Handler {
		own := chainFilters(used, delegated, deprecations, messages)
		return wrapped(build(wrapped(handler, own, true), used), own, false)
	}
}

// wrapped puts those filters in front of a handler that go inside the chain, or around it.
func wrapped(handler http.Handler, own []chainFilter, inside bool) http.Handler {
	for _, filter := range slices.Backward(own) {
		if filter.enabled && filter.inside == inside {
			handler = filter.wrap(handler)
		}
	}
	return handler
}

// draining returns a channel that is closed in the middle of the delay of a shutdown,
// when load balancers know that this server is not ready.
func draining(initiated <-chan struct{}, delay time.Duration) <-chan struct{} {
	half := make(chan struct{})
	go func() {
		<-initiated
		<-time.After(delay / 2)
		close(half)
	}()
	return half
}
