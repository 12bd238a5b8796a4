package filters

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/metrics"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
)

// WithTimeout is the library's WithTimeoutForNonLongRunningRequests, with two differences:
//
//   - the answer is a complete Status: the library's has no kind, and clients cannot decode it;
//   - a client that leaves is no timeout. The library would return at once, so that net/http,
//     which bounds the requests of a connection, would take the next one while the handler
//     still works: a client that opens and resets HTTP/2 streams would have no bound. A
//     request whose HTTP/2 stream is reset before it begins does not begin.
func WithTimeout(handler http.Handler, longRunning apirequest.LongRunningRequestCheck) http.Handler {
	handler = withAnswer(handler)
	timed := genericfilters.WithTimeout(handler, func(r *http.Request) (*http.Request, bool, func(), *apierrors.StatusError) {
		late := apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
		late.ErrStatus.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		return r, false, func() {
			info, _ := apirequest.RequestInfoFrom(r.Context())
			metrics.RecordRequestTermination(r, info, metrics.APIServerComponent, http.StatusGatewayTimeout)
		}, late
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, ok := apirequest.RequestInfoFrom(r.Context()); ok && longRunning(r, info) {
			handler.ServeHTTP(w, r)
			return
		}
		// Over HTTP/1.1 a client that has closed its side may still read an answer.
		if r.ProtoMajor == 2 && errors.Is(r.Context().Err(), context.Canceled) {
			return
		}
		ctx, cancel := withoutClient(r.Context())
		defer cancel()
		timed.ServeHTTP(w, r.WithContext(ctx))
	})
}
