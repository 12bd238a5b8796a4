package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"k8s.io/apiserver/pkg/endpoints/filterlatency"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfeatures "k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/routine"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/gates"
)

// chainFilter is a filter of the handler chain.
type chainFilter struct {
	name   string
	reason string
	// enabled is not set if the configuration does without the filter.
	enabled bool
	wrap    wrapper
}

// wrapper puts a filter in front of a handler.
type wrapper func(handler http.Handler) http.Handler

// handlerChain lists the filters that a request passes, the outermost first: the filters of
// genericapiserver.DefaultBuildHandlerChain in its order, and this server's.
//
// WithMuxAndDiscoveryComplete is left out. It marks requests that come before all
// paths are installed, for a server that answers those 503 instead of 404; this
// server installs all paths before it listens.
//
//nolint:funlen // a list
func (s *Server) handlerChain(c *genericapiserver.Config) []chainFilter {
	return []chainFilter{
		{"filters.WithConnectionDraining", "before a stop, clients connect to another replica", c.ShutdownDelayDuration > 0, func(handler http.Handler) http.Handler {
			return filters.WithConnectionDraining(handler, draining(c.ShutdownInitiatedNotify(), c.ShutdownDelayDuration))
		}},
		{"WithAuditInit", "the audit ID, before anything is logged", true, genericapifilters.WithAuditInit},
		{"WithPanicRecovery", "a panic below is logged, and ends one request", true, func(handler http.Handler) http.Handler {
			return genericfilters.WithPanicRecovery(handler, c.RequestInfoResolver)
		}},
		{"WithRequestReceivedTimestamp", "latencies count from here", true, genericapifilters.WithRequestReceivedTimestamp},
		{"WithRequestInfo", "verb, resource and name, which the filters below use", true, func(handler http.Handler) http.Handler {
			return genericapifilters.WithRequestInfo(handler, c.RequestInfoResolver)
		}},
		{"WithRoutine", "smaller stacks for watches", c.FeatureGate.Enabled(genericfeatures.APIServingWithRoutine), func(handler http.Handler) http.Handler {
			return routine.WithRoutine(handler, c.LongRunningFunc)
		}},
		{"WithLatencyTrackers", "time in etcd, webhooks and queues, for audit and metrics", true, genericapifilters.WithLatencyTrackers},
		{"WithHTTPLogging", "one log line a request, from -v=3", true, genericfilters.WithHTTPLogging},
		{"WithRetryAfter", "during a stop, new requests get 429 (--shutdown-send-retry-after)", c.ShutdownSendRetryAfter, func(handler http.Handler) http.Handler {
			return genericfilters.WithRetryAfter(handler, notAccepting(c))
		}},
		{"WithHSTS", "Strict-Transport-Security (--strict-transport-security-directives)", true, func(handler http.Handler) http.Handler {
			return genericfilters.WithHSTS(handler, c.HSTSDirectives)
		}},
		{"WithCacheControl", "responses are not cached", true, genericapifilters.WithCacheControl},
		{"WithProbabilisticGoaway", "clients spread over replicas (--goaway-chance)", c.SecureServing != nil && !c.SecureServing.DisableHTTP2 && c.GoawayChance > 0, func(handler http.Handler) http.Handler {
			return genericfilters.WithProbabilisticGoaway(handler, c.GoawayChance)
		}},
		{"WithWatchTerminationDuringShutdown", "a stop ends watches", c.ShutdownWatchTerminationGracePeriod > 0, func(handler http.Handler) http.Handler {
			return genericfilters.WithWatchTerminationDuringShutdown(handler, shutdownSignal(notAccepting(c)), c.WatchRequestWaitGroup)
		}},
		{"WithWaitGroup", "a stop waits for requests under way", true, func(handler http.Handler) http.Handler {
			return genericfilters.WithWaitGroup(handler, c.LongRunningFunc, c.NonLongRunningRequestWaitGroup)
		}},
		{"WithRequestDeadline", "the deadline of --request-timeout, or an earlier one in ?timeout=", true, func(handler http.Handler) http.Handler {
			return genericapifilters.WithRequestDeadline(handler, c.AuditBackend, c.AuditPolicyRuleEvaluator, c.LongRunningFunc, c.Serializer, c.RequestTimeout)
		}},
		{"WithTimeoutForNonLongRunningRequests", "an answer at the deadline, even if the handler has none", true, func(handler http.Handler) http.Handler {
			return genericfilters.WithTimeoutForNonLongRunningRequests(handler, c.LongRunningFunc)
		}},
		{"WithWarningRecorder", "warnings for the client; under the timeout, which owns the headers", true, genericapifilters.WithWarningRecorder},
		{"WithCORS", "browsers of other origins (--cors-allowed-origins)", true, func(handler http.Handler) http.Handler {
			return genericfilters.WithCORS(handler, c.CorsAllowedOriginList, nil, nil, nil, "true")
		}},
		{"filters.WithReviewFailures", "remembers that kube-apiserver could not be asked about the client", !s.config.LocalIdentity, filters.WithReviewFailures},
		{"WithAuthentication", "the user, or 401", true, tracked(c, "authentication", func(handler http.Handler) http.Handler {
			return genericapifilters.WithAuthentication(handler, c.Authentication.Authenticator, unauthenticated(c), c.Authentication.APIAudiences, c.Authentication.RequestHeaderConfig)
		})},
		{"WithTracing", "a span; authenticated clients may ask for one", gates.Enabled(c.FeatureGate, gates.APIServerTracing), func(handler http.Handler) http.Handler {
			return genericapifilters.WithTracing(handler, c.TracerProvider)
		}},
		{"WithAudit", "audit events, with the authenticated user", true, tracked(c, "audit", func(handler http.Handler) http.Handler {
			return genericapifilters.WithAudit(handler, c.AuditBackend, c.AuditPolicyRuleEvaluator, c.LongRunningFunc)
		})},
		{"filters.WithReviewAnswers", "429 for unauthenticated clients that would cause too many reviews", !s.config.LocalIdentity, func(handler http.Handler) http.Handler {
			return filters.WithReviewAnswers(handler, c.Serializer)
		}},
		{"WithImpersonation", "the impersonated user", true, impersonating(c)},
		{"filter.New", "flow control by pkg/apf: execute, wait, or 429; authorization below costs a seat", s.flowControl != nil, tracked(c, "priorityandfairness", func(handler http.Handler) http.Handler {
			return s.flowControl.filter(c)(handler)
		})},
		{"WithPriorityAndFairness", "the library's flow control, for comparisons", s.flowControl == nil && c.FlowControl != nil, tracked(c, "priorityandfairness", func(handler http.Handler) http.Handler {
			return genericfilters.WithPriorityAndFairness(handler, c.LongRunningFunc, c.FlowControl, libraryEstimator(c), c.RequestTimeout/4)
		})},
		{"WithMaxInFlightLimit", "max-in-flight limits (--enable-priority-and-fairness=false)", s.flowControl == nil && c.FlowControl == nil, func(handler http.Handler) http.Handler {
			return genericfilters.WithMaxInFlightLimit(handler, c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight, c.LongRunningFunc)
		}},
		{"WithAuthorization", "permission, or 403", true, tracked(c, "authorization", func(handler http.Handler) http.Handler {
			return genericapifilters.WithAuthorization(handler, c.Authorization.Authorizer, c.Serializer)
		})},
		{"filters.WithBoundedAliases", "400 for YAML whose aliases stand for gigabytes", true, func(handler http.Handler) http.Handler {
			return filters.WithBoundedAliases(handler, c.MaxRequestBodyBytes)
		}},
		{"filters.WithDeprecationWarnings", "a warning for v1beta3, on routes that do not exist too", true, func(handler http.Handler) http.Handler {
			return filters.WithDeprecationWarnings(handler, s.chain.deprecations)
		}},
		{"filters.WithOpenAPIForAnyHash", "OpenAPI: no redirect behind a kube-apiserver, which passes none on; 404 for an unknown version", true, filters.WithOpenAPIForAnyHash},
		{"filters.WithCheckMessages", "what a failing check of /readyz needs", true, func(handler http.Handler) http.Handler {
			return filters.WithCheckMessages(handler, s.chain.checkMessages)
		}},
	}
}

// applyHandlerChain puts the chain in the place of the library's.
func (s *Server) applyHandlerChain(context.Context) (err error) {
	s.chain.checkMessages = append(s.checkMessages(), s.chain.checkMessages...)
	s.chain.deprecations, err = filters.DeprecationWarnings(s.scheme, s.generic.MergedResourceConfig.ResourceEnabled)
	s.generic.BuildHandlerChainFunc = s.buildHandlerChain
	return err
}

// buildHandlerChain puts the enabled filters in front of the API.
func (s *Server) buildHandlerChain(handler http.Handler, c *genericapiserver.Config) http.Handler {
	for _, filter := range slices.Backward(s.handlerChain(c)) {
		if filter.enabled {
			handler = filter.wrap(handler)
		}
	}
	return handler
}

// tracked records the latency of a filter under a name, in metrics and traces.
func tracked(c *genericapiserver.Config, name string, wrap wrapper) wrapper {
	return func(handler http.Handler) http.Handler {
		return filterlatency.TrackStarted(wrap(filterlatency.TrackCompleted(handler)), c.TracerProvider, name)
	}
}

// unauthenticated answers 401, and audits that.
func unauthenticated(c *genericapiserver.Config) http.Handler {
	handler := reviewAnswers(c, genericapifilters.Unauthorized(c.Serializer))
	handler = genericapifilters.WithFailedAuthenticationAudit(handler, c.AuditBackend, c.AuditPolicyRuleEvaluator)
	return filterlatency.TrackCompleted(handler)
}

// reviewAnswers answers why credentials are not reviewed instead of 401.
func reviewAnswers(c *genericapiserver.Config, unauthorized http.Handler) http.Handler {
	return filters.WithReviewAnswers(unauthorized, c.Serializer)
}

// draining returns a channel that is closed in the middle of the delay of a shutdown,
// when load balancers know that this server is not ready.
func draining(initiated <-chan struct{}, delay time.Duration) <-chan struct{} {
	return after(initiated, delay/2)
}

// notAccepting returns a channel that is closed when the server stops accepting
// requests. The library does not export its signal, which waits for pre-shutdown hooks
// as well; this server has none.
func notAccepting(c *genericapiserver.Config) <-chan struct{} {
	return after(c.ShutdownInitiatedNotify(), c.ShutdownDelayDuration)
}

// after returns a channel that is closed a delay after another is.
func after(closed <-chan struct{}, delay time.Duration) <-chan struct{} {
	if delay <= 0 {
		return closed
	}
	later := make(chan struct{})
	go func() {
		<-closed
		<-time.After(delay)
		close(later)
	}()
	return later
}

// shutdownSignal is closed when watches have to end.
type shutdownSignal <-chan struct{}

var _ apirequest.ServerShutdownSignal = shutdownSignal(nil)

// ShuttingDown implements apirequest.ServerShutdownSignal.
func (s shutdownSignal) ShuttingDown() <-chan struct{} { return s }
