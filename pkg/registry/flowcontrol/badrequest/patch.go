package badrequest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	goruntime "runtime"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// patched returns the updated object. An invalid patch is a 400, and so is one that makes the
// library panic.
func (u update) patched(ctx context.Context, old runtime.Object) (object runtime.Object, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			if !isUnhashable(reason) {
				panic(reason)
			}
			object, err = nil, apierrors.NewBadRequest("the patch has a list or an object where a scalar value is required")
		}
	}()
	object, err = u.UpdatedObjectInfo.UpdatedObject(ctx, old)
	if err != nil && isPatchError(err.Error()) {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return object, err
}

// isUnhashable reports whether a panic is about a value that cannot be a merge key or an
// item of a set.
func isUnhashable(reason any) bool {
	err, ok := reason.(goruntime.Error)
	return ok && (strings.Contains(err.Error(), "uncomparable type") || strings.Contains(err.Error(), "unhashable type"))
}

// isPatchError reports whether an error is about a patch, by the beginning of its
// message: the library gives these errors no type.
func isPatchError(message string) bool {
	return slices.ContainsFunc([]string{
		// an applied object does not have the fields and types of its kind
		"failed to create typed patch object", "failed to convert new object",
		// directives and lists of a strategic merge patch
		"unknown patch type: ", "merging lists cannot yet be specified in the patch", "The order in patch list:",
		"list element types are not identical: ", "expected a ", "map: map[",
	}, func(beginning string) bool { return strings.HasPrefix(message, beginning) })
}

// checkPatch returns the request with its body unread. It returns a 400 if a number
// in the patch's spec or status exceeds 32 bits, the size of all their numbers. The
// library truncates such numbers in strategic merge patches and applies.
func checkPatch(r *http.Request, bodyLimit int64) (*http.Request, error) {
	unmarshal := map[types.PatchType]func([]byte, any) error{
		types.StrategicMergePatchType: json.Unmarshal,
		types.ApplyPatchType:          func(body []byte, into any) error { return yaml.Unmarshal(body, into) },
	}[patchType(r)]
	if unmarshal == nil {
		return r, nil
	}
	body, complete := readBody(r.Body, bodyLimit)
	unread := withBody(r, io.MultiReader(bytes.NewReader(body), r.Body))
	var patch map[string]any
	if valid := complete && unmarshal(body, &patch) == nil; !valid {
		return unread, nil // the library rejects it
	}
	errs := validateNumbers(field.NewPath("spec"), patch["spec"])
	return unread, fromFieldErrors(append(errs, validateNumbers(field.NewPath("status"), patch["status"])...))
}

// patchType is the content type without parameters, empty if it is malformed.
func patchType(r *http.Request) types.PatchType {
	contentType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return types.PatchType(contentType)
}

// validateNumbers returns an error for each number in value that exceeds 32 bits,
// sorted by path.
func validateNumbers(path *field.Path, value any) field.ErrorList {
	var errs field.ErrorList
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			errs = append(errs, validateNumbers(path.Child(key), value[key])...)
		}
	case []any:
		for i, item := range value {
			errs = append(errs, validateNumbers(path.Index(i), item)...)
		}
	case float64:
		if value < math.MinInt32 || value > math.MaxInt32 {
			errs = append(errs, field.Invalid(path, value, "must be a number between -2147483648 and 2147483647"))
		}
	}
	return errs
}
