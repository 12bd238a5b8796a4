package server

import (
	"context"
	"maps"
	"net/http"
	"strings"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// serveSchemas puts answerAnyHash in front of the API.
func (c *Config) serveSchemas(context.Context) error {
	chain := c.generic.BuildHandlerChainFunc
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return chain(answerAnyHash(api), generic)
	}
	return nil
}

// answerAnyHash serves an OpenAPI v3 document as it is now, not to be cached,
// where the library would redirect because the address names another state of
// it. A kube-apiserver that has v1 of this group too holds its own document and
// ours for one: the address that it gives may be that of its own and the request
// come to us. It does not pass redirects on, so kubectl would fail.
func answerAnyHash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/openapi/v3/") || !r.URL.Query().Has("hash") {
			next.ServeHTTP(w, r)
			return
		}
		before := w.Header().Clone()
		first := &redirectFree{ResponseWriter: w}
		next.ServeHTTP(first, r)
		if !first.redirected {
			return
		}
		clear(w.Header())
		maps.Copy(w.Header(), before)
		again := r.Clone(r.Context())
		again.URL.RawQuery = ""
		next.ServeHTTP(w, again)
	})
}

// redirectFree keeps a redirect from the client.
type redirectFree struct {
	http.ResponseWriter
	redirected bool
}

// WriteHeader remembers a redirect.
func (w *redirectFree) WriteHeader(code int) {
	if code == http.StatusMovedPermanently {
		w.redirected = true
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write drops what comes with a redirect.
func (w *redirectFree) Write(body []byte) (int, error) {
	if w.redirected {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}
