// Package badrequest makes invalid requests fail with the status 400 or 422 where
// the library returns a server error, which clients retry, returns another client
// error, or stores something else than the client meant.
package badrequest

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
)

// Update returns info with other errors. An invalid resourceVersion or patch
// becomes 400. An apply to an object that has duplicate items in a set becomes 422:
// validation allows them, but the library cannot merge them if the object was
// written in two versions.
func Update(info rest.UpdatedObjectInfo) rest.UpdatedObjectInfo {
	return update{info}
}

type update struct{ rest.UpdatedObjectInfo }

var _ rest.UpdatedObjectInfo = update{}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (u update) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	object, err := u.patched(ctx, old)
	if duplicates, ok := errors.AsType[structuredmerge.ValidationErrors](err); ok {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: duplicates.Error(),
		}}
	}
	if err != nil {
		return nil, err
	}
	if _, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(object); err != nil {
		return nil, apierrors.NewBadRequest("metadata.resourceVersion must be one that the server returned: " + err.Error())
	}
	return object, nil
}

// fromFieldErrors returns a 400 with all field errors, nil if there are none.
func fromFieldErrors(errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewBadRequest(errs.ToAggregate().Error())
}
