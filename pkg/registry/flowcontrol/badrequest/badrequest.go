// Package badrequest gives the status 400 or 422 to errors that a request is to blame
// for and that the library reports as errors of the server, which clients would
// try again.
package badrequest

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
)

// Version returns the error of a read or a watch, that of a resourceVersion
// which is no number as 400.
func Version(err error) error {
	if invalid, ok := errors.AsType[storage.InvalidError](err); ok {
		return apierrors.NewBadRequest(invalid.Error())
	}
	return err
}

// Create returns the error of a creation, that of an object which has a
// resourceVersion already as 400.
func Create(err error) error {
	if errors.Is(err, storage.ErrResourceVersionSetOnCreate) {
		return apierrors.NewBadRequest(err.Error())
	}
	return err
}

// Update returns info with the errors about a resourceVersion that is no number
// and about a patch that makes no sense, or no object of the kind, as 400, and as
// 422 that about an object which cannot be applied to because a list of it that is
// a set has one item twice: validation lets these pass, and the library needs sets
// where an object was written in two versions.
func Update(info rest.UpdatedObjectInfo) rest.UpdatedObjectInfo {
	return update{info}
}

type update struct{ rest.UpdatedObjectInfo }

var _ rest.UpdatedObjectInfo = update{}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (u update) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	object, err := u.patched(ctx, old)
	if twins, ok := errors.AsType[typed.ValidationErrors](err); ok {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: twins.Error(),
		}}
	}
	if err != nil {
		return nil, err
	}
	if _, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(object); err != nil {
		return nil, apierrors.NewBadRequest("metadata.resourceVersion must be one that the server gave: " + err.Error())
	}
	return object, nil
}
