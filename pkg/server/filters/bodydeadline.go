package filters

import (
	"net/http"
	"time"
)

// WithBodyDeadline ends the reading of a body after the deadline of its request. The answer
// of WithTimeout, which is in handler, does not end the handler behind it, so a client that
// sends its body slowly would keep its seats for as long as it likes. The deadline is set
// only then: net/http keeps one that is set on an HTTP/2 stream that was reset already, and
// the stream with it.
func WithBodyDeadline(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { // WithTimeout may panic
			// The context may not have ended yet: WithTimeout goes by a timer of its own.
			deadline, bounded := r.Context().Deadline()
			if bounded && time.Until(deadline) <= 0 && r.Body != nil && r.Body != http.NoBody {
				// A connection that knows no deadlines is not one of a client: it is in memory.
				_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
			}
		}()
		handler.ServeHTTP(w, r)
	})
}
