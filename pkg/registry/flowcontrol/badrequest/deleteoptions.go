package badrequest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	"k8s.io/apiserver/pkg/util/apihelpers"
)

// withDeleteOptions returns a deletion whose body, if it has one, is a
// DeleteOptions with a dryRun that there is, or an error with the status 400. The
// dryRun of the URL goes into a body that has none: the library would not see it,
// and delete in earnest.
func withDeleteOptions(r *http.Request, bodyLimit int64) (*http.Request, error) {
	body, complete := beginning(r.Body, bodyLimit)
	given := withBody(r, io.MultiReader(bytes.NewReader(body), r.Body))
	codecs := apihelpers.GetMetaInternalVersionCodecs()
	media, known := serializerFor(r, codecs)
	if len(body) == 0 || !complete || !known {
		return given, nil // there is nothing to look at, or the library refuses it
	}
	options := &metav1.DeleteOptions{}
	if err := decode(codecs.DecoderToVersion(media, metav1.SchemeGroupVersion), body, options); err != nil {
		return given, apierrors.NewBadRequest("the body must be a DeleteOptions of v1 or meta.k8s.io/v1: " + err.Error())
	}
	if faults := metav1validation.ValidateDryRun(field.NewPath("dryRun"), options.DryRun); len(faults) > 0 {
		return given, badRequest(faults)
	}
	asked := r.URL.Query()["dryRun"]
	if len(options.DryRun) > 0 || len(asked) == 0 {
		return given, nil
	}
	options.DryRun = asked
	options.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("DeleteOptions"))
	dry, err := json.Marshal(options)
	if err != nil {
		return given, apierrors.NewInternalError(err)
	}
	changed := withBody(r.Clone(r.Context()), bytes.NewReader(dry))
	changed.Header.Set("Content-Type", runtime.ContentTypeJSON)
	return changed, nil
}

// beginning reads a body, and tells whether that is all of it.
func beginning(body io.Reader, limit int64) ([]byte, bool) {
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	return content, err == nil && int64(len(content)) <= limit
}

// serializerFor is that of the type of the request's body, if there is one.
func serializerFor(r *http.Request, codecs runtime.NegotiatedSerializer) (runtime.Serializer, bool) {
	media, err := negotiation.NegotiateInputSerializer(r, false, codecs)
	return media.Serializer, err == nil
}

// decode reads options of any version that the library takes.
func decode(decoder runtime.Decoder, body []byte, options *metav1.DeleteOptions) error {
	kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	object, found, err := decoder.Decode(body, &kind, options)
	if err != nil {
		return err
	}
	if object != options {
		return fmt.Errorf("it is a %s", found)
	}
	return nil
}

// withBody is the request with what is left to read of its body.
func withBody(r *http.Request, rest io.Reader) *http.Request {
	changed := r.WithContext(r.Context())
	changed.Body = struct {
		io.Reader
		io.Closer
	}{rest, r.Body}
	return changed
}
