// Package server lists filters as pkg/server does.
package server

func (s *Server) handlerChain(c *Config) []chainFilter {
	return []chainFilter{
		{"ours.WithAnswers", "for humans", true, ours.WithAnswers},
		{"WithAuthentication", "the user", true, func(handler http.Handler) http.Handler {
			return filters.WithAuthentication(handler, []string{"no filter"})
		}},
		{"WithTracing", "a span", c.Tracing, filters.WithTracing},
		{"ours.New", "flow control", true, ours.New},
		{"WithAuthorization", "permission", true, filters.WithAuthorization},
	}
}
