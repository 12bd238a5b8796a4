package flowcontrol

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

// rejectMetadata returns an error for metadata that the library must not validate. In a create the
// strategy validates before the library; in an update the library is first.
func (r *objects[T]) rejectMetadata(updated *metav1.ObjectMeta) error {
	if errs := validation.ValidateMetadataOfUpdate(updated); len(errs) > 0 {
		return apierrors.NewInvalid(r.groupKind, updated.Name, errs)
	}
	return nil
}
