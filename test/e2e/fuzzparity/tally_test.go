package fuzzparity

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// tally counts kube-apiserver's verdicts, and records the attempts where this server differs.
type tally struct {
	mutex              sync.Mutex // guards the fields below
	attempts, accepted int
	// acceptedOf counts accepted attempts by degree, faults rejections by kind, type
	// and field, made the attempts by verb, version and form.
	acceptedOf, faults, made map[string]int
	differences              []difference
}

// add records an attempt and reports whether the servers agree.
func (seen *tally) add(i int, a attempt, v verdicts) bool {
	seen.mutex.Lock()
	defer seen.mutex.Unlock()
	if seen.made == nil {
		seen.acceptedOf, seen.faults, seen.made = map[string]int{}, map[string]int{}, map[string]int{}
	}
	seen.attempts++
	seen.made[string(a.verb)+" "+a.version+" "+a.form.name]++
	if v.theirs.accepts() {
		seen.accepted++
		seen.acceptedOf[degreeOf(i).name]++
	}
	for _, cause := range v.theirs.Causes {
		seen.faults[a.kind+" "+withoutIndex(cause)]++
	}
	if v.agree() {
		return true
	}
	seen.differences = append(seen.differences, difference{number: i, attempt: a, verdicts: v})
	slices.SortStableFunc(seen.differences, func(a, b difference) int { return a.number - b.number })
	return false
}

// withoutIndex removes list indexes and the wording from a cause.
func withoutIndex(cause string) string {
	parts := strings.SplitN(cause, " ", 3)
	return parts[0] + " " + regexp.MustCompile(`\[\d+\]`).ReplaceAllString(parts[1], "[]")
}

// requireBreadth checks that the random attempts match their degrees.
func (seen *tally) requireBreadth(t *testing.T, count int) {
	t.Helper()
	for _, degree := range degrees() {
		share := float64(seen.acceptedOf[degree.name]) / (float64(count) / float64(len(degrees())))
		assert.True(t, share >= degree.acceptedFrom && share <= degree.acceptedTo,
			"%.3f of the attempts that are %s were accepted, must be between %v and %v", share, degree.name, degree.acceptedFrom, degree.acceptedTo)
	}
	for _, verb := range []verb{verbCreate, verbUpdate, verbStatus} {
		for i, form := range forms() {
			for _, version := range []string{versionNew, versionOld}[:1+min(1, 3/(i+1))] {
				name := string(verb) + " " + version + " " + form.name
				assert.NotZero(t, seen.made[name], "no %s", name)
			}
		}
	}
}

// requireEveryFault checks that each rule was violated, in one of the tallies. A
// few rules cannot be violated over HTTP: the value is rejected earlier, or set by
// the server.
func requireEveryFault(t *testing.T, tallies ...*tally) {
	t.Helper()
	unreachable := append(notLater(),
		"FieldValueForbidden metadata.namespace", "FieldValueInvalid metadata.generation", "FieldValueInvalid metadata.managedFields[].operation",
	)
	for _, kind := range []string{kindSchema, kindLevel} {
		for _, fault := range objects.FaultsOf(kind) {
			if slices.Contains(unreachable, fault) {
				continue
			}
			assert.True(t, slices.ContainsFunc(tallies, func(seen *tally) bool { return seen.faults[kind+" "+fault] > 0 }),
				"no %s had the fault %q", kind, fault)
		}
	}
}
