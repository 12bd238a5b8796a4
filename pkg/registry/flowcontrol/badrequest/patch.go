package badrequest

import (
	"context"
	goruntime "runtime"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// patched is what a request makes of old. A patch that cannot be read is an
// error with the status 400, and so is one that the library fails to compare.
func (u update) patched(ctx context.Context, old runtime.Object) (object runtime.Object, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			object, err = nil, apierrors.NewBadRequest("the patch has a list or an object where a plain value must be: "+incomparable(reason))
		}
	}()
	object, err = u.UpdatedObjectInfo.UpdatedObject(ctx, old)
	if err != nil && isPatchFault(err.Error()) {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return object, err
}

// incomparable is what is wrong with a value for which a merge key or an item of
// a set was expected. The library panics on those; any other panic goes on.
func incomparable(reason any) string {
	fault, ok := reason.(goruntime.Error)
	if !ok || !strings.Contains(fault.Error(), "uncomparable type") && !strings.Contains(fault.Error(), "unhashable type") {
		panic(reason)
	}
	return fault.Error()
}

// isPatchFault tells by the beginning of a message whether an error is about a
// patch. The library gives these errors no type.
func isPatchFault(message string) bool {
	return slices.ContainsFunc([]string{
		// an applied object does not have the fields and types of its kind
		"failed to create typed patch object", "failed to convert new object",
		// directives and lists of a strategic merge patch
		"unknown patch type: ", "merging lists cannot yet be specified in the patch", "The order in patch list:",
		"list element types are not identical: ", "expected a ", "map: map[",
	}, func(beginning string) bool { return strings.HasPrefix(message, beginning) })
}
