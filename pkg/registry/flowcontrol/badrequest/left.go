package badrequest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StatusLeft is the status of requests whose client left before the answer, which only
// metrics and the audit log see. HTTP has none; nginx introduced this one.
const StatusLeft = 499

// Left returns the error of a request whose client left.
func Left(cause error) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: StatusLeft, Message: "the client left before the answer: " + cause.Error(),
	}}
}
