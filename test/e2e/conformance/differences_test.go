package conformance

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// difference is a kind of answer in which this server is not to be like its peer.
type difference struct {
	name, reason string
	// meet tells whether this is such an answer, and if so makes of the peer's
	// what the contract wants.
	meet func(step step, ours answer, peers *answer) bool
}

// differences are all that are intended. One that no case meets is an error.
func differences() []difference {
	return []difference{
		{
			"options", "Options that make no sense are the client's mistake: the contract says 400 BadRequest, kube-apiserver answers 422 Invalid as if an object were wrong.",
			badOptions,
		},
		{
			"never-500", "A request that is wrong is never the server's failure: the contract says 400 where kube-apiserver answers 500 InternalError, which clients try again.",
			notServersFailure,
		},
	}
}

// badOptions are options of which both say the same, with another status.
func badOptions(step step, ours answer, peers *answer) bool {
	mine, theirs := statusOf(ours), statusOf(*peers)
	if step.code != http.StatusBadRequest || mine.Reason != metav1.StatusReasonBadRequest ||
		theirs.Reason != metav1.StatusReasonInvalid || theirs.Details == nil || theirs.Details.Group != metav1.GroupName ||
		!strings.HasSuffix(theirs.Message, strings.Trim(mine.Message, "[]")) && !strings.HasSuffix(theirs.Message, mine.Message) {
		return false
	}
	*peers = ours.clone()
	return true
}

// notServersFailure are mistakes of a request that the peer takes for its own.
func notServersFailure(step step, ours answer, peers *answer) bool {
	if step.code != http.StatusBadRequest || statusOf(ours).Reason != metav1.StatusReasonBadRequest || peers.code != http.StatusInternalServerError {
		return false
	}
	*peers = ours.clone()
	return true
}

// statusOf is the Status in JSON that an answer is; empty if it is none.
func statusOf(a answer) metav1.Status {
	var status metav1.Status
	if json.Unmarshal(a.body, &status) != nil || status.Kind != "Status" {
		return metav1.Status{}
	}
	return status
}
