// Package clientfault gives the status 400 to errors that a request is to blame
// for and that the library reports as errors of the server, which clients would
// try again.
package clientfault

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
)

// typedPatchFailed begins the error about an applied object that does not have
// the fields and types of its kind. The library gives it no type.
const typedPatchFailed = "failed to create typed patch object"

// Watch returns the error of a watch, that of a resourceVersion which is no
// number as 400.
func Watch(err error) error {
	if invalid, ok := errors.AsType[storage.InvalidError](err); ok {
		return apierrors.NewBadRequest(invalid.Error())
	}
	return err
}

// Update returns info with the error about an applied object which is not of
// its kind as 400.
func Update(info rest.UpdatedObjectInfo) rest.UpdatedObjectInfo {
	return update{info}
}

type update struct{ rest.UpdatedObjectInfo }

var _ rest.UpdatedObjectInfo = update{}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (u update) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	object, err := u.UpdatedObjectInfo.UpdatedObject(ctx, old)
	if err != nil && strings.HasPrefix(err.Error(), typedPatchFailed) {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return object, err
}
