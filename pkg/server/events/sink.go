package events

import (
	"fmt"
	"hash/fnv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
)

// sink writes Events. The recorder would log the errors that it returns.
type sink struct{ record.EventSink }

// Create creates an Event under a name that all replicas give it. One that another
// replica has created is a success.
func (s sink) Create(event *corev1.Event) (*corev1.Event, error) {
	event.Name = name(event)
	created, err := s.EventSink.Create(event)
	if apierrors.IsAlreadyExists(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return event, nil
	}
	return created, err
}

// Patch counts an Event once more. After NotFound the recorder creates it again.
func (s sink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	patched, err := s.EventSink.Patch(event, data)
	if apierrors.IsForbidden(err) {
		return event, nil
	}
	return patched, err
}

// name returns a name, valid for Events, derived from the object and what the Event says of it.
func name(event *corev1.Event) string {
	const longest = 253 - len(".") - 16
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %s %s", event.InvolvedObject.UID, event.Reason, event.Message) // never fails
	object := event.InvolvedObject.Name
	return fmt.Sprintf("%s.%016x", strings.TrimRight(object[:min(len(object), longest)], ".-"), hash.Sum64())
}
