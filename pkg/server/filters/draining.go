package filters

import "net/http"

// WithConnectionDraining moves clients to another replica before this one stops.
// Once draining is closed, each answer carries "Connection: close", for which
// net/http sends GOAWAY over HTTP/2: requests under way on the connection finish,
// and the client opens its next one elsewhere.
//
// A load balancer sends no new connections to a replica that is not ready, but
// clients keep the connections that they have, and would be refused at the end of
// --shutdown-delay-duration.
func WithConnectionDraining(handler http.Handler, draining <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-draining:
			w.Header().Set("Connection", "close")
		default:
		}
		handler.ServeHTTP(w, r)
	})
}
