package api

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// laterDifference is an intended difference that differences does not have, between this server on
// later releases of k8s.io and kube-apiserver of the same release.
type laterDifference struct {
	// since is the first of the releases after 0.33 that the cases run on and that has it.
	since string
	difference
}

func laterDifferences() []laterDifference {
	return []laterDifference{
		{"0.36", difference{
			"missing-type", "A priority level without a type, or a limit response without one, is rejected with the types that are supported; kube-apiserver says that a type is required. It also judges what belongs to a type that it does not support.",
			sameFailures(func(mine []string) []string {
				return replaced(mine, string(metav1.CauseTypeFieldValueNotSupported), string(metav1.CauseTypeFieldValueRequired))
			}),
		}},
		{"0.37", difference{
			"repeated-failures", "An update lists a failure of the metadata up to three times, as every server on k8s.io without generated validation does; kube-apiserver lists it once.",
			sameFailures(slices.Compact),
		}},
		{"0.37", difference{
			"question-field", "An access review without a question, or with two, is invalid in the field that is missing or too much, as before; kube-apiserver names spec.",
			sameFailures(func(mine []string) []string {
				return replaced(replaced(mine, "spec.resourceAttributes", "spec"), "spec.nonResourceAttributes", "spec")
			}),
		}},
	}
}

// laterDifferencesHere returns the later differences of the release under test.
func laterDifferencesHere() []difference {
	var all []difference
	for _, later := range laterDifferences() {
		if since(later.since) {
			all = append(all, later.difference)
		}
	}
	return all
}

// allDifferences returns the intended differences of the release under test.
func allDifferences() []difference { return append(laterDifferencesHere(), differences()...) }

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
