package conformance

import (
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// laterDifferences returns the intended differences between this server on a later release of
// k8s.io and kube-apiserver of the same release, which differences does not have.
func laterDifferences() []difference {
	return []difference{
		{
			"missing-type", "A priority level without a type, or a limit response without one, is rejected with the types that are supported; kube-apiserver 1.37 says that a type is required. It also judges what belongs to a type that it does not support.",
			sameFailures(func(mine []string) []string {
				return replaced(mine, string(metav1.CauseTypeFieldValueNotSupported), string(metav1.CauseTypeFieldValueRequired))
			}),
		},
		{
			"repeated-failures", "An update lists a failure of the metadata up to three times, as every server on k8s.io without generated validation does; kube-apiserver 1.37 lists it once.",
			sameFailures(slices.Compact),
		},
		{
			"question-field", "An access review without a question, or with two, is invalid in the field that is missing or too much, as before 1.37; kube-apiserver names spec.",
			sameFailures(func(mine []string) []string {
				return replaced(replaced(mine, "spec.resourceAttributes", "spec"), "spec.nonResourceAttributes", "spec")
			}),
		},
		{
			"options", "A body that is no DeleteOptions is rejected with what it must be, before the words of kube-apiserver.",
			endsAlike,
		},
	}
}

// allDifferences returns the intended differences of the release under test.
func allDifferences() []difference {
	if later() {
		return append(laterDifferences(), differences()...)
	}
	return differences()
}

// sameFailures returns whether invalid objects fail alike but for what change does to the failures of
// this server, which are sorted.
func sameFailures(change func(mine []string) []string) func(step, answer, *answer) bool {
	return func(_ step, ours answer, peers *answer) bool {
		mine, theirs := statusOf(ours), statusOf(*peers)
		if mine.Reason != metav1.StatusReasonInvalid || theirs.Reason != mine.Reason || mine.Details == nil || mine.Details.Kind != theirs.Details.Kind ||
			slices.Equal(causes(mine), causes(theirs)) || !slices.Equal(change(causes(mine)), causes(theirs)) {
			return false
		}
		peers.says(ours)
		return true
	}
}

// replaced returns the failures with a word replaced.
func replaced(failures []string, old, word string) []string {
	var all []string
	for _, failure := range failures {
		all = append(all, strings.Replace(failure, old, word, 1))
	}
	slices.Sort(all)
	return all
}

// endsAlike matches bad requests that this server explains, and then in the words of the peer.
func endsAlike(_ step, ours answer, peers *answer) bool {
	mine, theirs := statusOf(ours), statusOf(*peers)
	if ours.code != http.StatusBadRequest || peers.code != ours.code || mine.Message == theirs.Message || !strings.HasSuffix(mine.Message, ": "+theirs.Message) {
		return false
	}
	peers.says(ours)
	return true
}
