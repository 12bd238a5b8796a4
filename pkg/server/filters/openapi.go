package filters

import (
	"maps"
	"net/http"
	"strings"
)

// WithOpenAPIForAnyHash serves an OpenAPI v3 document in its current state, not to
// be cached, where the library redirects because ?hash= names another state.
//
// An aggregating kube-apiserver that has v1 of this group too takes its document
// and this server's for the same one: it may give a client the hash of its own and
// send the request here. It passes no redirect on, so kubectl would fail.
func WithOpenAPIForAnyHash(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/openapi/v3/") || !r.URL.Query().Has("hash") {
			handler.ServeHTTP(w, r)
			return
		}
		before := w.Header().Clone()
		first := &redirectDropper{ResponseWriter: w}
		handler.ServeHTTP(first, r)
		if !first.redirected {
			return
		}
		clear(w.Header())
		maps.Copy(w.Header(), before)
		again := r.Clone(r.Context())
		again.URL.RawQuery = ""
		handler.ServeHTTP(w, again)
	})
}

// redirectDropper drops an answer that is a redirect.
type redirectDropper struct {
	http.ResponseWriter
	redirected bool
}

var _ http.ResponseWriter = &redirectDropper{}

// WriteHeader implements http.ResponseWriter.
func (w *redirectDropper) WriteHeader(code int) {
	if code == http.StatusMovedPermanently {
		w.redirected = true
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *redirectDropper) Write(body []byte) (int, error) {
	if w.redirected {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}
