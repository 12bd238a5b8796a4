package badrequest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Options returns a handler that makes api answer 400 or 422 to requests with invalid
// options and bodies, and passes other requests on unchanged. Invalid are:
//
//   - a dryRun other than All, where the library's 422 shows Go syntax;
//   - a delete whose body is not a DeleteOptions, where it returns 500;
//   - a patch with a number that its field cannot hold, which it truncates;
//   - a body with invalid chunks, where it returns 500;
//   - a YAML body whose aliases stand for more than bodyLimit bytes, which it expands.
//
// A body that ends early, since its client left, fails with StatusLeft instead of 500.
// The library answers 422 to other invalid options. Bodies of more than bodyLimit bytes
// are left to api to reject.
func Options(api http.Handler, bodyLimit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || slices.Contains([]string{"get", "list", "watch"}, info.Verb) {
			api.ServeHTTP(w, r)
			return
		}
		err := dryRunError(info.Verb, r.URL.Query()["dryRun"])
		if err == nil {
			r, err = checkAliases(withBody(r, &wholeBody{body: r.Body}), bodyLimit)
		}
		if err == nil && info.Subresource == "" && (info.Verb == "delete" || info.Verb == "deletecollection") {
			r, err = withDeleteOptions(r, bodyLimit)
		}
		if err == nil && info.Verb == "patch" {
			r, err = checkPatch(r, bodyLimit)
		}
		if err != nil {
			// The API answers with the error of the body, which it reads before it
			// checks options. So the answer has the warnings, metrics and audit
			// annotations of its route.
			r = withBody(r, failingBody{err})
		}
		api.ServeHTTP(w, r)
	})
}

// dryRunError returns the library's 422 for a dryRun other than All, with the values as
// they were sent.
func dryRunError(verb string, values []string) error {
	errs := metav1validation.ValidateDryRun(field.NewPath("dryRun"), values)
	if len(errs) == 0 {
		return nil
	}
	for _, err := range errs {
		err.BadValue = strings.Join(values, ",")
	}
	kind := map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}[verb]
	if kind == "" {
		kind = "DeleteOptions"
	}
	return apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind(kind).GroupKind(), "", errs)
}

// failingBody is a body whose read fails.
type failingBody struct{ err error }

// Read implements io.Reader.
func (b failingBody) Read([]byte) (int, error) { return 0, b.err }

// wholeBody is a body whose client may not send all of it as it should. Later
// reads return the first error too: net/http takes a body that ended early for complete then.
type wholeBody struct {
	body io.Reader
	err  error
}

// Read implements io.Reader.
func (b *wholeBody) Read(into []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.body.Read(into)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		b.err = err
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, http.ErrBodyReadAfterClose):
		b.err = apierrors.NewTimeoutError("the request body was not sent in time", 0)
	case strings.Contains(err.Error(), "chunk"):
		b.err = apierrors.NewBadRequest("the request body cannot be read to its end: " + err.Error())
	default:
		b.err = Left(err)
	}
	return n, b.err
}
