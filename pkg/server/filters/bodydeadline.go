package filters

import (
	"net/http"
	"time"
)

// afterAnswer is how long after the deadline of a request its body is read. It is long
// enough for WithTimeout to answer first.
const afterAnswer = time.Second

// WithBodyDeadline ends the reading of a body soon after the deadline of its request. The
// answer of WithTimeout does not end the handler, so a client that sends its body slowly
// would keep its seats for as long as it likes.
func WithBodyDeadline(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if deadline, ok := r.Context().Deadline(); ok && r.Body != nil && r.Body != http.NoBody {
			// A connection that knows no deadlines is not one of a client: it is in memory.
			_ = http.NewResponseController(w).SetReadDeadline(deadline.Add(afterAnswer))
		}
		handler.ServeHTTP(w, r)
	})
}
