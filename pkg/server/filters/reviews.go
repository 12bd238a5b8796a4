package filters

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// reviewFailureKey is the key of a *reviewFailure in a context.
type reviewFailureKey struct{}

// reviewFailure is why the credentials or permissions of a request are unknown.
type reviewFailure struct {
	err atomic.Pointer[apierrors.StatusError]
}

// FailReview records that a TokenReview or SubjectAccessReview of a request has no
// result. WithReviewAnswers sends err to the client.
func FailReview(ctx context.Context, err *apierrors.StatusError) {
	if failure, ok := ctx.Value(reviewFailureKey{}).(*reviewFailure); ok {
		failure.err.Store(err)
	}
}

// WithReviewAnswers lets the authenticator and the authorizer in handler call FailReview, and answers
// with its error, where the library answers 401, 403 or 500. It concerns clients that are not
// authenticated.
func WithReviewAnswers(handler http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failure := &reviewFailure{}
		r = r.WithContext(context.WithValue(r.Context(), reviewFailureKey{}, failure))
		handler.ServeHTTP(responsewriter.WrapForHTTP1Or2(&reviewAnswer{ResponseWriter: w, failure: failure, replace: func(err *apierrors.StatusError) {
			responsewriters.ErrorNegotiated(err, serializer, schema.GroupVersion{}, w, r)
		}}), r)
	})
}

// IsUnauthenticated reports whether a request has no known user.
func IsUnauthenticated(requester user.Info) bool {
	return requester == nil || requester.GetName() == user.Anonymous || slices.Contains(requester.GetGroups(), user.AllUnauthenticated)
}

// reviewAnswer replaces an answer if a review failed before it.
type reviewAnswer struct {
	http.ResponseWriter
	failure  *reviewFailure
	replace  func(*apierrors.StatusError)
	replaced bool
}

var _ responsewriter.UserProvidedDecorator = &reviewAnswer{}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (w *reviewAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *reviewAnswer) WriteHeader(code int) {
	if err := w.failure.err.Load(); err != nil && !w.replaced {
		w.replaced = true
		w.Header().Del("Content-Length")
		w.replace(err)
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *reviewAnswer) Write(body []byte) (int, error) {
	if w.replaced {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}
