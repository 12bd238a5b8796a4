package source

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Reason is the kind of an Error.
type Reason string

// The reasons.
const (
	// ReasonInvalid: the options contradict each other or name something unknown.
	ReasonInvalid Reason = "Invalid"
	// ReasonKubeconfig: the kubeconfig names no cluster that could be asked.
	ReasonKubeconfig Reason = "Kubeconfig"
	// ReasonUnreachable: no server answers.
	ReasonUnreachable Reason = "Unreachable"
	// ReasonForbidden: the user has no right to read what is needed.
	ReasonForbidden Reason = "Forbidden"
	// ReasonNoFlowControl: the server does not serve or not enforce the API group.
	ReasonNoFlowControl Reason = "NoFlowControl"
	// ReasonTooOld: the release of the server is older than configuration.Oldest.
	ReasonTooOld Reason = "TooOld"
	// ReasonFiles: files cannot be read.
	ReasonFiles Reason = "Files"
	// ReasonServer: the server returned another error.
	ReasonServer Reason = "Server"
)

// Error says why a source could not be read: one sentence, with the remedy. Commands
// end with exit status 2.
type Error struct {
	Reason  Reason
	Message string
	// Err is the cause; it may be nil.
	Err error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func invalid(format string, arguments ...any) *Error {
	return &Error{Reason: ReasonInvalid, Message: fmt.Sprintf(format, arguments...)}
}

// access is a right, as in a rule of a ClusterRole.
type access struct {
	verb, resource, namespace, path string
}

// String names the right as in "list flowschemas.flowcontrol.apiserver.k8s.io".
func (a access) String() string {
	switch {
	case a.path != "":
		return fmt.Sprintf("%q on the nonResourceURL %q", a.verb, a.path)
	case a.namespace != "":
		return fmt.Sprintf("%q on %s in the namespace %q", a.verb, a.resource, a.namespace)
	default:
		return fmt.Sprintf("%q on %s", a.verb, a.resource)
	}
}

// requestError explains why a request to a server failed.
func requestError(server string, needed access, err error) *Error {
	switch {
	case apierrors.IsForbidden(err):
		return &Error{Reason: ReasonForbidden, Err: err, Message: fmt.Sprintf("%s forbids it: the right %s is missing.", server, needed)}
	case apierrors.IsUnauthorized(err):
		return &Error{Reason: ReasonForbidden, Err: err, Message: fmt.Sprintf("%s does not accept the credentials of the kubeconfig: log in again.", server)}
	case isAnswer(err):
		return &Error{Reason: ReasonServer, Err: err, Message: fmt.Sprintf("%s returned an error: %s.", server, oneSentence(err))}
	default:
		return &Error{Reason: ReasonUnreachable, Err: err, Message: fmt.Sprintf("%s cannot be reached: %s.", server, oneSentence(err))}
	}
}

// isAnswer reports whether a server answered a request with the error.
func isAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// oneSentence returns the text of an error on one line, without its final stop.
func oneSentence(err error) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(err.Error()), " "), ".")
}
