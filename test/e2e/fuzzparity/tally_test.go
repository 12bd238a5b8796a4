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

// tally is what kube-apiserver said of a lot of attempts, and where this server
// said something else.
type tally struct {
	mutex              sync.Mutex // guards all below
	attempts, accepted int
	// acceptedOf counts accepted attempts by degree, faults refusals by kind,
	// type and field, made the attempts by verb, version and form.
	acceptedOf, faults, made map[string]int
	differences              []difference
}

// add tells whether the servers agree.
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

// withoutIndex generalises a cause: which member of a list it was goes, and the wording.
func withoutIndex(cause string) string {
	parts := strings.SplitN(cause, " ", 3)
	return parts[0] + " " + regexp.MustCompile(`\[\d+\]`).ReplaceAllString(parts[1], "[]")
}

// requireBreadth holds that the random attempts were what they are meant to be.
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

// requireEveryFault holds that each rule was broken, in one tally or the other.
// A few rules cannot be broken through HTTP: what they are about is refused
// earlier, or set by the server.
func requireEveryFault(t *testing.T, tallies ...*tally) {
	t.Helper()
	unreachable := []string{
		"FieldValueForbidden metadata.namespace", "FieldValueInvalid metadata.generation", "FieldValueInvalid metadata.managedFields[].operation",
	}
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
