// Package server is as the library writes it, before a release.
package server

// DefaultBuildHandlerChain is the chain of a release.
func DefaultBuildHandlerChain(apiHandler http.Handler, c *Config) http.Handler {
	chain := apiHandler

	chain = filterlatency.TrackCompleted(chain)
	chain = filters.WithAuthorization(chain, c.Authorizer)
	chain = filterlatency.TrackStarted(chain, c.TracerProvider, "authorization")

	if c.FlowControl != nil {
		estimator := request.NewEstimator(c.Get)
		chain = filters.WithFairness(chain, estimator)
	} else {
		chain = filters.WithLimit(chain, c.Limit)
	}

	failedHandler := filters.Unauthorized(c.Serializer)
	failedHandler = filters.WithFailedAudit(failedHandler)
	if c.Tracing {
		chain = filters.WithTracing(chain)
	}
	chain = filters.WithOld(chain)
	chain = filters.WithAuthentication(chain, failedHandler)
	return chain
}

func otherChain(chain http.Handler) http.Handler {
	chain = filters.WithOther(chain)
	return chain
}
