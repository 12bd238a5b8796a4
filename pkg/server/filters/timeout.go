package filters

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/metrics"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
)

// WithTimeout is the library's WithTimeoutForNonLongRunningRequests, except that the
// answer is a complete Status: the library's has no kind, and clients cannot decode it.
func WithTimeout(handler http.Handler, longRunning apirequest.LongRunningRequestCheck) http.Handler {
	return genericfilters.WithTimeout(handler, func(r *http.Request) (*http.Request, bool, func(), *apierrors.StatusError) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if ok && longRunning(r, info) {
			return r, true, nil, nil
		}
		late := apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
		late.ErrStatus.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		return r, false, func() {
			metrics.RecordRequestTermination(r, info, metrics.APIServerComponent, http.StatusGatewayTimeout)
		}, late
	})
}
