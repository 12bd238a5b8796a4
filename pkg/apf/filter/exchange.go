package filter

import (
	"context"
	"net/http"
	"strconv"

	"k8s.io/apiserver/pkg/endpoints/responsewriter"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// exchange is a request and its response. The library gives its FlowControl, which calls Handle,
// only parts of the request, and answers rejected requests by itself.
type exchange struct {
	http.ResponseWriter
	filter  *Filter
	request *http.Request // as it arrived
	begun   bool          // whether the response has begun

	// Handle sets what follows.
	seating    *Seating       // nil unless it is a list
	list       *measuredList  // nil unless it is measured
	unmeasured unmeasuredList // of a list or a watch
	rejection  *rejection     // nil unless it is rejected
}

// exchangeKey is the key of an exchange in a context.
type exchangeKey struct{}

// exchangeOf returns the exchange of a request that a Filter of the engine is around, else nil.
func exchangeOf(ctx context.Context, e *engine.Engine) *exchange {
	if of, ok := ctx.Value(exchangeKey{}).(*exchange); ok && of.filter.engine == e {
		return of
	}
	return nil
}

// Around returns a filter that goes around the whole handler chain, whose WithPriorityAndFairness
// calls Handle.
func (f *Filter) Around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &exchange{ResponseWriter: w, filter: f, request: r}
		handler.ServeHTTP(responsewriter.WrapForHTTP1Or2(e), r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e)))
		e.begin() // a response that nobody began
	})
}

// Inside returns a filter that goes into the handler chain, behind WithPriorityAndFairness. It
// measures lists, and does nothing if their costs are not learned.
func (f *Filter) Inside(handler http.Handler) http.Handler {
	if f.lists.history == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e := exchangeOf(r.Context(), f.engine); e != nil && e.list != nil {
			e.list.serve(w, r, handler)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

var (
	_ responsewriter.UserProvidedDecorator = (*exchange)(nil)
	_ http.Flusher                         = (*exchange)(nil)
)

// Unwrap implements responsewriter.UserProvidedDecorator.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// begin completes the headers of a response that begins.
func (e *exchange) begin() {
	if e.begun {
		return
	}
	e.begun = true
	header := e.Header()
	// Built-in objects and manifests have no UIDs; the library sets both headers in each response.
	for _, name := range e.filter.uidHeaders {
		if uid := header[name]; len(uid) == 1 && uid[0] == "" {
			delete(header, name)
		}
	}
}

// WriteHeader implements http.ResponseWriter.
func (e *exchange) WriteHeader(status int) {
	switch {
	case status < http.StatusOK: // informational
	case status == http.StatusTooManyRequests && e.rejection != nil && !e.begun:
		e.begin()
		e.Header().Set("Retry-After", strconv.Itoa(e.rejection.after))
		if e.rejection.explanation != nil {
			e.rejection.respond(e)
			return
		}
	default:
		e.begin()
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (e *exchange) Write(body []byte) (int, error) {
	e.begin()
	if e.rejection != nil && e.rejection.explanation != nil {
		return len(body), nil // the library's, which the explanation replaces
	}
	return e.ResponseWriter.Write(body)
}

// Flush implements http.Flusher.
func (e *exchange) Flush() {
	e.begin()
	if flusher, ok := e.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}
