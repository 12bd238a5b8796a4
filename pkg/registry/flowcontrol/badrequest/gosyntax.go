package badrequest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// stringList is a list of strings in Go syntax. In a quoted text it has other quotes.
var stringList = regexp.MustCompile(`\[\]string\{((?:"(?:[^"\\]|\\.)*"(?:, )?)+)\}`)

// WithoutGoSyntax returns the error of an update in plain text. The library validates the
// metadata of an update itself, before the strategy does, and shows finalizers and owners
// in Go syntax.
func WithoutGoSyntax(err error) error {
	invalid, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || invalid.ErrStatus.Details == nil {
		return err
	}
	status := invalid.ErrStatus.DeepCopy()
	causes := status.Details.Causes
	replaceOwners(causes)
	var messages []error
	for i, cause := range causes {
		causes[i].Message = stringList.ReplaceAllString(cause.Message, "$1")
		messages = append(messages, fmt.Errorf("%s: %s", cause.Field, causes[i].Message))
	}
	kind := schema.GroupKind{Group: status.Details.Group, Kind: status.Details.Kind}
	if start := fmt.Sprintf("%s %q is invalid: ", kind, status.Details.Name); strings.HasPrefix(status.Message, start) && len(messages) > 0 {
		status.Message = start + utilerrors.NewAggregate(messages).Error()
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

// replaceOwners replaces the library's errors about owners by the strategy's. Each of its
// validations returns the same errors in the same order, and the strategy's is the last one.
func replaceOwners(causes []metav1.StatusCause) {
	var found, plain []*metav1.StatusCause
	for i := range causes {
		if causes[i].Field != "metadata.ownerReferences" {
			continue
		}
		found = append(found, &causes[i])
		if !strings.Contains(causes[i].Message, "v1.OwnerReference{") {
			plain = append(plain, &causes[i])
		}
	}
	if len(plain) == 0 {
		return
	}
	for i := range found[:len(found)-len(plain)] {
		found[i].Message = plain[i%len(plain)].Message
	}
}
