package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// difference is an intended difference between the answers of this server and its
// peer.
type difference struct {
	name, reason string
	// meet reports whether the answers show this difference. If so, it changes the
	// peer's answer to the one that the contract requires. It is nil if steps
	// exclude the difference from their comparison.
	meet func(step step, ours answer, peers *answer) bool
}

// differences returns all intended differences. One that no case shows is an
// error.
func differences() []difference {
	return []difference{
		{
			"exact-future", "A list at an exact future resource version is 504, as other requests for a future version; kube-apiserver returns etcd's error as 500.",
			exactFuture,
		},
		{
			"watch-future", "A watch from a future resource version is 410, upon which clients list again; kube-apiserver sends nothing, so that informers with a version of another store would miss every change.",
			watchFuture,
		},
		{
			"field-selectors", "metadata.name is the only field selector, as the contract says; kube-apiserver also accepts metadata.namespace, which these objects do not have.",
			fieldSelectors,
		},
		{
			"wording", "Validation messages follow the API conventions and name the values that differ, where kube-apiserver shows Go syntax and addresses. The verdict, the reason, the failing fields and the type of each failure agree with kube-apiserver.",
			wording,
		},
		{
			"large-object", "An object that is too large for etcd is 413, and the message names the limits of etcd and of its client; kube-apiserver returns their errors as 500.",
			largeObject,
		},
		{
			"discovery", "Only this server serves v1beta3 by default, and it publishes its address in discovery; kube-apiserver's aggregator does not.",
			nil,
		},
		{
			"deprecation", "This server warns that v1beta3 is deprecated in each answer; kube-apiserver only where the path, the method and the representation exist.",
			deprecation,
		},
		{
			"livez", "/livez passes without etcd, since a restart would not help; kube-apiserver's fails. /livez/etcd has the check on both. Each server has its own checks of hooks.",
			livezWithoutEtcd,
		},
		{
			"openapi-hash", "An OpenAPI v3 document is served for an obsolete ?hash= too, and may not be cached under it; kube-apiserver redirects to the current hash, which its aggregator does not pass on.",
			obsoleteHash,
		},
		{
			"advice", "This server warns of valid schemas that are probably mistakes; kube-apiserver does not.",
			advice,
		},
		{
			"deletion-advice", "This server warns of an update to an object that is being deleted, as the update is lost; kube-apiserver does not.",
			warnsOfDeletion,
		},
	}
}

// statusOf decodes an answer as a Status; empty if it is not one.
func statusOf(a answer) metav1.Status {
	var status metav1.Status
	if json.Unmarshal(a.body, &status) != nil || status.Kind != "Status" {
		return metav1.Status{}
	}
	return status
}

func exactFuture(step step, ours answer, peers *answer) bool {
	if step.code != http.StatusGatewayTimeout || peers.code != http.StatusInternalServerError || !strings.Contains(statusOf(*peers).Message, "future revision") {
		return false
	}
	*peers = ours.clone()
	return true
}

func watchFuture(step step, ours answer, peers *answer) bool {
	if !strings.Contains(step.path, "watch=true&resourceVersion=<future>") || step.code != http.StatusGone || peers.code != http.StatusOK {
		return false
	}
	peers.says(ours)
	return true
}

func largeObject(step step, ours answer, peers *answer) bool {
	said := statusOf(*peers).Message
	if step.code != http.StatusRequestEntityTooLarge || peers.code != http.StatusInternalServerError ||
		!strings.Contains(said, "request is too large") && !strings.Contains(said, "message larger than max") {
		return false
	}
	*peers = ours.clone()
	return true
}

func fieldSelectors(step step, ours answer, peers *answer) bool {
	const only = `is not a known field selector: only `
	if step.code != http.StatusBadRequest || !strings.Contains(step.path, "fieldSelector=") || !strings.Contains(statusOf(ours).Message, only+`"metadata.name" is`) ||
		peers.code != http.StatusOK && !strings.Contains(statusOf(*peers).Message, only+`"metadata.name", "metadata.namespace"`) {
		return false
	}
	peers.says(ours)
	return true
}

// deprecation matches answers of no route; only this server warns of them.
func deprecation(_ step, ours answer, peers *answer) bool {
	mine, theirs := ours.header.Values("Warning"), peers.header.Values("Warning")
	if !slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType}, ours.code) || len(theirs) > 0 || len(mine) != 1 || !strings.Contains(mine[0], "/v1beta3 ") {
		return false
	}
	peers.header["Warning"] = slices.Clone(mine)
	return true
}

func livezWithoutEtcd(step step, ours answer, peers *answer) bool {
	const check = "[+]etcd ok"
	if step.path != "/livez?verbose" || strings.Contains(string(ours.body), check) || !strings.Contains(string(peers.body), check) {
		return false
	}
	*peers = ours.clone()
	return true
}

func obsoleteHash(step step, ours answer, peers *answer) bool {
	if !strings.Contains(step.path, "?hash=") || ours.code != http.StatusOK || peers.code != http.StatusMovedPermanently {
		return false
	}
	*peers = ours.clone()
	return true
}

// advice reports whether only this server gives advice about the schema beside others.
func advice(_ step, ours answer, _ *answer) bool {
	return slices.ContainsFunc(ours.advice, func(warning string) bool {
		return slices.ContainsFunc([]string{"FC101", "FC103", "FC104"}, func(code string) bool { return strings.HasPrefix(warning, `299 - "`+code) })
	})
}

// warnsOfDeletion reports whether only this server warns of a write to what is being
// deleted.
func warnsOfDeletion(_ step, ours answer, _ *answer) bool {
	return slices.ContainsFunc(ours.advice, func(warning string) bool { return strings.HasPrefix(warning, ofDeletion) })
}

// wording matches answers that report the same errors of the same fields in other
// words.
func wording(_ step, ours answer, peers *answer) bool {
	mine, theirs := statusOf(ours), statusOf(*peers)
	if mine.Reason != metav1.StatusReasonInvalid || theirs.Reason != mine.Reason || mine.Message == theirs.Message ||
		mine.Details == nil || !slices.Contains([]string{flowcontrolv1.GroupName, metav1.GroupName, authorizationv1.GroupName}, mine.Details.Group) || mine.Details.Kind != theirs.Details.Kind ||
		!slices.Equal(causes(mine), causes(theirs)) {
		return false
	}
	peers.says(ours)
	return true
}

// causesOf returns the causes of a Status, none if the answer is not one.
func causesOf(a answer) []metav1.StatusCause {
	if details := statusOf(a).Details; details != nil {
		return details.Causes
	}
	return nil
}

// causes returns the invalid fields, each with the type of error.
func causes(status metav1.Status) []string {
	var found []string
	for _, cause := range status.Details.Causes {
		found = append(found, string(cause.Type)+" "+cause.Field)
	}
	slices.Sort(found)
	return found
}
