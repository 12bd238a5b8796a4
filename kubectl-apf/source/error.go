package source

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// sentence returns an error that says why a source could not be read, with the remedy.
func sentence(format string, arguments ...any) error {
	return fmt.Errorf(format, arguments...)
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
func requestError(server string, needed access, err error) error {
	switch {
	case apierrors.IsForbidden(err):
		return sentence("%s forbids it: the permission %s is missing.", server, needed)
	case apierrors.IsUnauthorized(err):
		return sentence("%s does not accept the credentials of the kubeconfig: log in again.", server)
	case isAnswer(err):
		return sentence("%s returned an error: %s.", server, oneSentence(err))
	default:
		return sentence("%s cannot be reached: %s.", server, oneSentence(err))
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
