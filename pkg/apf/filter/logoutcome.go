package filter

import (
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// The verbosities of k8s.io/apiserver.
const (
	queuedVerbosity  = 5 // requests that waited or were rejected
	requestVerbosity = 7 // all others
)

// logOutcome logs whether a request may execute, at verbosity 5 if it waited or was
// rejected and at 7 if it did not wait.
func logOutcome(r *engine.Request, admitted bool) {
	message, log := "Request starts at once", klog.V(requestVerbosity)
	switch {
	case !admitted:
		message, log = "Request rejected", klog.V(queuedVerbosity)
	case r.Waited() > 0:
		message, log = "Request starts after waiting in its queue", klog.V(queuedVerbosity)
	}
	if !log.Enabled() {
		return
	}
	details := []any{
		"verb", r.Attributes.Verb, "path", r.Attributes.Path, "resource", r.Attributes.Resource, "user", r.Attributes.User,
		"flowSchema", r.Schema().Name, "flowDistinguisher", r.Flow, "priorityLevel", r.Level().Name, "waited", r.Waited(),
	}
	if !admitted {
		details = append(details, "reason", r.Reason())
	}
	log.InfoS(message, details...)
}
