// Package server is as the library writes it, since the release.
package server

// DefaultBuildHandlerChain is the chain of the next release.
func DefaultBuildHandlerChain(apiHandler http.Handler, c *Config) http.Handler {
	chain := apiHandler

	chain = filters.WithAuthorization(chain, c.Authorizer)
	if c.FlowControl != nil {
		if c.Fair {
			chain = filters.WithFairness(chain)
		}
	} else {
		chain = filters.WithLimit(chain, c.Limit, c.Max)
	}
	chain = filters.WithTracing(chain)
	chain = filters.WithAuthentication(filters.WithInner(chain), failed(c))
	return chain
}
