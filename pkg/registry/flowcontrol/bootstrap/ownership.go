package bootstrap

import (
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// role says why an object is built in.
type role string

const (
	// mandatory objects are what the server enforces even without them.
	mandatory role = "mandatory"
	// suggested objects are a good start that users may make their own.
	suggested role = "suggested"
)

// serverOwns tells whether the spec of a stored built-in object is the
// server's to restore.
func serverOwns(role role, stored metav1.Object) bool {
	if role == mandatory {
		return true
	}
	if owned, ok := annotation(stored); ok {
		return owned
	}
	return stored.GetGeneration() == 1
}

// isLeftover tells whether a stored object once was built in and is no more. An
// object that only waits for its finalizers has been deleted already.
func isLeftover(stored metav1.Object, builtIn bool) bool {
	owned, ok := annotation(stored)
	return ok && owned && !builtIn && stored.GetDeletionTimestamp() == nil
}

// annotation is what the object says about the owner of its spec: true is the
// server. It is not ok if the object says nothing, or what is no boolean. As in
// kube-apiserver, every spelling that strconv.ParseBool knows is a boolean.
func annotation(object metav1.Object) (owned, ok bool) {
	owned, err := strconv.ParseBool(object.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey])
	return owned, err == nil
}

// annotate makes the object say whether the server owns its spec, and reports
// whether it had to. It writes into the object's map of annotations.
func annotate(object metav1.Object, owned bool) bool {
	if said, ok := annotation(object); ok && said == owned {
		return false
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[flowcontrolv1.AutoUpdateAnnotationKey] = strconv.FormatBool(owned)
	object.SetAnnotations(annotations)
	return true
}
