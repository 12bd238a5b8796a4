package filters

import (
	"context"
	"errors"
	"net/http"
)

// WithPresentClients ends requests whose client has left before they begin.
func WithPresentClients(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		AbortIfClientLeft(r)
		growToHandOver()
		handler.ServeHTTP(w, r)
	})
}

// AbortIfClientLeft panics with http.ErrAbortHandler if the HTTP/2 stream of a request was reset or
// its connection closed: nobody reads an answer. The library takes no notice of this before it
// executes the request, but lets net/http begin the next one of the connection, so that a client
// that opens and resets streams has more requests under way than its connection may have streams.
//
// It lets pass what a client over HTTP/1.1 sends, which may close its side and read the answer, and
// a request whose deadline has passed, which the library answers.
func AbortIfClientLeft(r *http.Request) {
	if r.ProtoMajor >= 2 && errors.Is(r.Context().Err(), context.Canceled) {
		panic(http.ErrAbortHandler)
	}
}
