package server

import (
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/endpoints/filterlatency"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfeatures "k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/routine"
)

// handlerChain puts the library's filters in front of the API, in the library's
// order (genericapiserver.DefaultBuildHandlerChain), with the given flow control
// in place of the library's. Without flow control that chain itself is used.
//
// A filter is passed by a request before those that stand above it here.
func handlerChain(api http.Handler, c *genericapiserver.Config, flowControl func(http.Handler) http.Handler) http.Handler {
	handler := withRights(api, c, flowControl)
	handler = withIdentity(handler, c)
	handler = withTime(handler, c)
	return withContext(handler, c)
}

// withRights has the filters that decide, knowing who asks, whether a request
// may be served, and when.
func withRights(handler http.Handler, c *genericapiserver.Config, flowControl func(http.Handler) http.Handler) http.Handler {
	handler = filterlatency.TrackCompleted(handler)
	handler = genericapifilters.WithAuthorization(handler, c.Authorization.Authorizer, c.Serializer)
	handler = filterlatency.TrackStarted(handler, c.TracerProvider, "authorization")

	handler = filterlatency.TrackCompleted(handler)
	handler = flowControl(handler)
	handler = filterlatency.TrackStarted(handler, c.TracerProvider, "priorityandfairness")

	handler = filterlatency.TrackCompleted(handler)
	handler = genericapifilters.WithImpersonation(handler, c.Authorization.Authorizer, c.Serializer)
	handler = filterlatency.TrackStarted(handler, c.TracerProvider, "impersonation")

	handler = filterlatency.TrackCompleted(handler)
	handler = genericapifilters.WithAudit(handler, c.AuditBackend, c.AuditPolicyRuleEvaluator, c.LongRunningFunc)
	return filterlatency.TrackStarted(handler, c.TracerProvider, "audit")
}

// withIdentity has the filters that find out who asks.
func withIdentity(handler http.Handler, c *genericapiserver.Config) http.Handler {
	failed := genericapifilters.Unauthorized(c.Serializer)
	failed = genericapifilters.WithFailedAuthenticationAudit(failed, c.AuditBackend, c.AuditPolicyRuleEvaluator)

	// Whether a request is traced may be up to the client, once it is known.
	if c.FeatureGate.Enabled(genericfeatures.APIServerTracing) {
		handler = genericapifilters.WithTracing(handler, c.TracerProvider)
	}
	failed = filterlatency.TrackCompleted(failed)
	handler = filterlatency.TrackCompleted(handler)
	handler = genericapifilters.WithAuthentication(handler, c.Authentication.Authenticator, failed, c.Authentication.APIAudiences, c.Authentication.RequestHeaderConfig)
	handler = filterlatency.TrackStarted(handler, c.TracerProvider, "authentication")
	return genericfilters.WithCORS(handler, c.CorsAllowedOriginList, nil, nil, nil, "true")
}

// withTime has the filters that give a request its time, and what it needs to
// be answered when that is up, or the server stops.
func withTime(handler http.Handler, c *genericapiserver.Config) http.Handler {
	handler = genericapifilters.WithWarningRecorder(handler)
	handler = genericfilters.WithTimeoutForNonLongRunningRequests(handler, c.LongRunningFunc)
	handler = genericapifilters.WithRequestDeadline(handler, c.AuditBackend, c.AuditPolicyRuleEvaluator, c.LongRunningFunc, c.Serializer, c.RequestTimeout)
	handler = genericfilters.WithWaitGroup(handler, c.LongRunningFunc, c.NonLongRunningRequestWaitGroup)
	closing := notAccepting(c.ShutdownInitiatedNotify(), c.ShutdownDelayDuration)
	if c.ShutdownWatchTerminationGracePeriod > 0 {
		handler = genericfilters.WithWatchTerminationDuringShutdown(handler, shutdown(closing), c.WatchRequestWaitGroup)
	}
	if c.SecureServing != nil && !c.SecureServing.DisableHTTP2 && c.GoawayChance > 0 {
		handler = genericfilters.WithProbabilisticGoaway(handler, c.GoawayChance)
	}
	handler = genericapifilters.WithCacheControl(handler)
	handler = genericfilters.WithHSTS(handler, c.HSTSDirectives)
	if c.ShutdownSendRetryAfter {
		handler = genericfilters.WithRetryAfter(handler, closing)
	}
	return handler
}

// withContext has the filters that put down what is known of a request before
// anything is decided.
//
// The library has WithMuxAndDiscoveryComplete here, which marks requests that
// come before all paths are installed, for a server that answers those with 503
// in place of 404 (its notfoundhandler). This server answers with 404 whatever
// the mark says: all its paths are installed before it listens.
func withContext(handler http.Handler, c *genericapiserver.Config) http.Handler {
	handler = genericfilters.WithHTTPLogging(handler)
	handler = genericapifilters.WithLatencyTrackers(handler)
	if c.FeatureGate.Enabled(genericfeatures.APIServingWithRoutine) {
		handler = routine.WithRoutine(handler, c.LongRunningFunc)
	}
	handler = genericapifilters.WithRequestInfo(handler, c.RequestInfoResolver)
	handler = genericapifilters.WithRequestReceivedTimestamp(handler)
	handler = genericfilters.WithPanicRecovery(handler, c.RequestInfoResolver)
	return genericapifilters.WithAuditInit(handler)
}

// notAccepting returns a channel that is closed when the server stops to accept
// requests: the delay after its shutdown was initiated. The library keeps its
// own signal of that to itself. It waits for pre-shutdown hooks as well, of
// which this server has none.
func notAccepting(initiated <-chan struct{}, delay time.Duration) <-chan struct{} {
	if delay <= 0 {
		return initiated
	}
	closing := make(chan struct{})
	go func() {
		<-initiated
		<-time.After(delay)
		close(closing)
	}()
	return closing
}

// shutdown tells watches to end.
type shutdown <-chan struct{}

var _ apirequest.ServerShutdownSignal = shutdown(nil)

// ShuttingDown implements apirequest.ServerShutdownSignal.
func (s shutdown) ShuttingDown() <-chan struct{} { return s }
