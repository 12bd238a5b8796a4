//go:build k8s0.35

package badrequest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
)

// withImpersonation is the library's filter, which moved in k8s.io 0.35. It moves into
// fuzz_test.go when go.mod requires it.
func withImpersonation(next http.Handler, authorizer authorizer.Authorizer, serializer runtime.NegotiatedSerializer) http.Handler {
	return impersonation.WithImpersonation(next, authorizer, serializer)
}
