package badrequest

import (
	"net/http"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
)

// Impersonation returns a handler that answers 400 to requests that impersonate groups, a UID or
// extra fields of no user, and passes other requests on. The library would answer 500 in plain
// text.
func Impersonation(handler http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if header := impersonatesNobody(r.Header); header != "" {
			err := apierrors.NewBadRequest(header + " requires " + authenticationv1.ImpersonateUserHeader + ": name the user whose group, UID or extra field it is")
			responsewriters.ErrorNegotiated(err, serializer, schema.GroupVersion{}, w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// impersonatesNobody returns a header that is about an impersonated user, if no header
// names one, else "".
func impersonatesNobody(headers http.Header) string {
	if headers.Get(authenticationv1.ImpersonateUserHeader) != "" {
		return ""
	}
	for name, values := range headers {
		about := name == authenticationv1.ImpersonateGroupHeader || strings.EqualFold(name, authenticationv1.ImpersonateUIDHeader) ||
			strings.HasPrefix(name, authenticationv1.ImpersonateUserExtraHeaderPrefix)
		if about && len(values) > 0 {
			return name
		}
	}
	return ""
}
