package badrequest

import (
	"net/http"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	internalversionvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Options returns a handler that lets api answer 400 to requests with options
// which make no sense, and passes the others on as they are: another dryRun than
// All, an apply without fieldManager, a list with a resourceVersionMatch that does
// not go with its resourceVersion, a deletion whose body is no DeleteOptions, and a
// patch with a number that its field cannot hold. The library answers 422 to the
// first three, as if an object were invalid, 500 to the next, and cuts such a number.
//
// Bodies of more than bodyLimit bytes are left to api to refuse.
func Options(api http.Handler, bodyLimit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest {
			api.ServeHTTP(w, r)
			return
		}
		err := optionsFault(r, info.Verb)
		if err == nil && info.Subresource == "" && (info.Verb == "delete" || info.Verb == "deletecollection") {
			r, err = withDeleteOptions(r, bodyLimit)
		}
		if err == nil && info.Verb == "patch" {
			r, err = withNumbersThatFit(r, bodyLimit)
		}
		if err != nil {
			r = refused(r, info.Verb, err)
		}
		api.ServeHTTP(w, r)
	})
}

// optionsFault is what is wrong with the options in the URL, nil if nothing is.
func optionsFault(r *http.Request, verb string) error {
	query := r.URL.Query()
	var faults field.ErrorList
	switch verb {
	case "list":
		faults = matchFaults(query)
	case "create", "update", "patch", "delete", "deletecollection":
		faults = metav1validation.ValidateDryRun(field.NewPath("dryRun"), query["dryRun"])
	}
	if verb == "patch" && query.Get("fieldManager") == "" {
		faults = append(faults, slices.DeleteFunc(metav1validation.ValidatePatchOptions(&metav1.PatchOptions{}, patchType(r)), isNot("fieldManager"))...)
	}
	return badRequest(faults)
}

// matchFaults are those of the resourceVersionMatch of a list.
func matchFaults(query url.Values) field.ErrorList {
	var options internalversion.ListOptions
	if err := internalversionscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &options); err != nil {
		return nil // the library says what is wrong with options that cannot be read
	}
	return slices.DeleteFunc(internalversionvalidation.ValidateListOptions(&options, true), isNot("resourceVersionMatch"))
}

// isNot tells of which faults an option is not the cause.
func isNot(option string) func(*field.Error) bool {
	return func(fault *field.Error) bool { return fault.Field != option }
}

func badRequest(faults field.ErrorList) error {
	if len(faults) == 0 {
		return nil
	}
	return apierrors.NewBadRequest(faults.ToAggregate().Error())
}
