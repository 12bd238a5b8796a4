package filters_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// BenchmarkTimeout measures what a request pays for its deadline, beside the library's
// filter.
func BenchmarkTimeout(b *testing.B) {
	serves := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	never := func(*http.Request, *apirequest.RequestInfo) bool { return false }
	late := func(r *http.Request) (*http.Request, bool, func(), *apierrors.StatusError) {
		return r, false, func() {}, apierrors.NewTimeoutError("late", 0)
	}
	ctx := apirequest.WithRequestInfo(b.Context(), &apirequest.RequestInfo{Verb: "get"})
	for name, handler := range map[string]http.Handler{
		"server=flowcontrol-apiserver": filters.WithBodyDeadline(filters.WithTimeout(serves, never)),
		"server=library":               genericfilters.WithTimeout(serves, late),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bounded, cancel := context.WithTimeout(ctx, time.Minute)
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(bounded, http.MethodGet, "/", nil))
				cancel()
			}
		})
	}
}
