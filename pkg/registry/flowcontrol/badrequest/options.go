package badrequest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	internalversionvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Options returns a handler that makes api answer 400 to requests with invalid
// options and passes other requests on unchanged. Invalid are:
//
//   - a dryRun other than All, an apply without fieldManager, and a list whose
//     resourceVersionMatch does not fit its resourceVersion, for which the library
//     returns 422;
//   - a delete whose body is not a DeleteOptions, for which it returns 500;
//   - a patch with a number that its field cannot hold, which it truncates;
//   - a watch with continue, for which it returns a 422 about another option;
//   - a body that ends early, or with invalid chunks, for which it returns 500;
//   - a YAML body whose aliases stand for more than bodyLimit bytes, which it expands.
//
// Bodies of more than bodyLimit bytes are left to api to reject.
func Options(api http.Handler, bodyLimit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest {
			api.ServeHTTP(w, r)
			return
		}
		err := validateQuery(r, info.Verb)
		if err == nil && !slices.Contains([]string{"get", "list", "watch"}, info.Verb) {
			r, err = checkAliases(withBody(r, wholeBody{r.Body}), bodyLimit)
		}
		if err == nil && info.Subresource == "" && (info.Verb == "delete" || info.Verb == "deletecollection") {
			r, err = withDeleteOptions(r, bodyLimit)
		}
		if err == nil && info.Verb == "patch" {
			r, err = checkPatch(r, bodyLimit)
		}
		if err != nil {
			r = rejected(r, info.Verb, err)
		}
		api.ServeHTTP(w, r)
	})
}

// validateQuery returns a 400 if the options in the URL are invalid.
func validateQuery(r *http.Request, verb string) error {
	query := r.URL.Query()
	var errs field.ErrorList
	switch verb {
	case "list":
		errs = validateVersionMatch(query)
	case "watch":
		if query.Get("continue") != "" && !query.Has("sendInitialEvents") { // with it, the library names continue
			errs = append(errs, field.Forbidden(field.NewPath("continue"), "a watch has no parts: remove it"))
		}
	case "create", "update", "patch", "delete", "deletecollection":
		errs = metav1validation.ValidateDryRun(field.NewPath("dryRun"), query["dryRun"])
	}
	if verb == "patch" && query.Get("fieldManager") == "" {
		errs = append(errs, slices.DeleteFunc(metav1validation.ValidatePatchOptions(&metav1.PatchOptions{}, patchType(r)), isNotAbout("fieldManager"))...)
	}
	return fromFieldErrors(errs)
}

// validateVersionMatch validates the resourceVersionMatch of a list.
func validateVersionMatch(query url.Values) field.ErrorList {
	var options internalversion.ListOptions
	if err := internalversionscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &options); err != nil {
		return nil // the library rejects it
	}
	return slices.DeleteFunc(internalversionvalidation.ValidateListOptions(&options, true), isNotAbout("resourceVersionMatch"))
}

// isNotAbout returns a function that reports whether an error is about another
// field.
func isNotAbout(name string) func(*field.Error) bool {
	return func(err *field.Error) bool { return err.Field != name }
}

// rejected returns a request that the API itself answers with err, so that the
// answer has the warnings, metrics and audit annotations of its route. A write
// fails when its body is read, before its options are checked; a list or a watch
// fails in the registry, see List.
func rejected(r *http.Request, verb string, err error) *http.Request {
	if verb != "list" && verb != "watch" {
		return withBody(r, failingBody{err})
	}
	changed := r.Clone(context.WithValue(r.Context(), listErrorKey{}, err))
	query := changed.URL.Query()
	for _, option := range []string{"resourceVersionMatch", "sendInitialEvents", "continue"} {
		query.Del(option) // the library would answer 422 to it
	}
	changed.URL.RawQuery = query.Encode()
	return changed
}

// List returns the error about the options of the list or watch whose context is ctx,
// nil if they are valid.
func List(ctx context.Context) error {
	err, _ := ctx.Value(listErrorKey{}).(error)
	return err
}

// listErrorKey is the context key of the error about the options of a list or watch.
type listErrorKey struct{}

// failingBody is a body whose read fails.
type failingBody struct{ err error }

// Read implements io.Reader.
func (b failingBody) Read([]byte) (int, error) { return 0, b.err }

// wholeBody is a body whose client may not send all of it as it should.
type wholeBody struct{ io.Reader }

// Read implements io.Reader.
func (b wholeBody) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if errors.Is(err, io.ErrUnexpectedEOF) || err != nil && strings.Contains(err.Error(), "chunk") {
		err = apierrors.NewBadRequest("the request body cannot be read to its end: " + err.Error())
	}
	return n, err
}
