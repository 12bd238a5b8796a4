package badrequest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	"k8s.io/apiserver/pkg/util/apihelpers"
)

// withDeleteOptions returns a delete request whose body is empty or a valid
// DeleteOptions, or a 400 or 422. It copies the dryRun of the URL into a body without one:
// the library ignores the URL if there is a body, and would really delete.
func withDeleteOptions(r *http.Request, bodyLimit int64) (*http.Request, error) {
	body, complete := readBody(r.Body, bodyLimit)
	unread := withBody(r, io.MultiReader(bytes.NewReader(body), r.Body))
	codecs := apihelpers.GetMetaInternalVersionCodecs()
	media, known := serializerFor(r, codecs)
	if len(body) == 0 || !complete || !known {
		return unread, nil // nothing to check, or the library rejects it
	}
	options := &metav1.DeleteOptions{}
	if err := decode(codecs.DecoderToVersion(media, metav1.SchemeGroupVersion), body, options); err != nil {
		return unread, apierrors.NewBadRequest("the body must be a DeleteOptions of v1 or meta.k8s.io/v1: " + err.Error())
	}
	if err := dryRunError("delete", options.DryRun); err != nil {
		return unread, err
	}
	dryRun := r.URL.Query()["dryRun"]
	if len(options.DryRun) > 0 || len(dryRun) == 0 {
		return unread, nil
	}
	options.DryRun = dryRun
	options.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("DeleteOptions"))
	encoded, err := json.Marshal(options)
	if err != nil {
		return unread, apierrors.NewInternalError(err)
	}
	changed := withBody(r.Clone(r.Context()), bytes.NewReader(encoded))
	changed.Header.Set("Content-Type", runtime.ContentTypeJSON)
	return changed, nil
}

// readBody reads up to limit+1 bytes of a body and reports whether it is complete
// and within the limit.
func readBody(body io.Reader, limit int64) ([]byte, bool) {
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	return content, err == nil && int64(len(content)) <= limit
}

// serializerFor returns the serializer of the request's content type, and false if
// there is none.
func serializerFor(r *http.Request, codecs runtime.NegotiatedSerializer) (runtime.Serializer, bool) {
	media, err := negotiation.NegotiateInputSerializer(r, false, codecs)
	return media.Serializer, err == nil
}

// decode decodes a DeleteOptions of any version that the library accepts.
func decode(decoder runtime.Decoder, body []byte, options *metav1.DeleteOptions) error {
	kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	object, found, err := decoder.Decode(body, &kind, options)
	if err != nil {
		return err
	}
	if object != options {
		return fmt.Errorf("found %s", found)
	}
	return nil
}

// withBody returns the request with another body, which closes the original one.
func withBody(r *http.Request, rest io.Reader) *http.Request {
	changed := r.WithContext(r.Context())
	changed.Body = struct {
		io.Reader
		io.Closer
	}{rest, r.Body}
	return changed
}
