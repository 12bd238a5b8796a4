package badrequest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// withNumbersThatFit returns a patch whose spec and status have no number beyond
// 32 bits, which is what their fields hold, or an error with the status 400. The
// library would store what is left of such a number when it is cut, unless the
// patch is a JSON Patch or a merge patch.
func withNumbersThatFit(r *http.Request, bodyLimit int64) (*http.Request, error) {
	read := map[types.PatchType]func([]byte, any) error{
		types.StrategicMergePatchType: json.Unmarshal,
		types.ApplyPatchType:          func(body []byte, into any) error { return yaml.Unmarshal(body, into) },
	}[patchType(r)]
	if read == nil {
		return r, nil
	}
	body, complete := beginning(r.Body, bodyLimit)
	given := withBody(r, io.MultiReader(bytes.NewReader(body), r.Body))
	var patch map[string]any
	if readable := complete && read(body, &patch) == nil; !readable {
		return given, nil // the library refuses it
	}
	faults := numberFaults(field.NewPath("spec"), patch["spec"])
	return given, badRequest(append(faults, numberFaults(field.NewPath("status"), patch["status"])...))
}

// patchType is the type of a patch without its parameters.
func patchType(r *http.Request) types.PatchType {
	contentType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // one that is no type is no patch's
	return types.PatchType(contentType)
}

// numberFaults are the numbers in a value that are beyond 32 bits, in the order
// of their paths.
func numberFaults(path *field.Path, value any) field.ErrorList {
	var faults field.ErrorList
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			faults = append(faults, numberFaults(path.Child(key), value[key])...)
		}
	case []any:
		for i, item := range value {
			faults = append(faults, numberFaults(path.Index(i), item)...)
		}
	case float64:
		if value < math.MinInt32 || value > math.MaxInt32 {
			faults = append(faults, field.Invalid(path, value, "must be a number between -2147483648 and 2147483647"))
		}
	}
	return faults
}
