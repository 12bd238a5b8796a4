package fuzzparity

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

const (
	required     = "FieldValueRequired "
	notSupported = "FieldValueNotSupported "
)

// asLater converts verdicts of later releases of Kubernetes than 1.33 to what both servers mean. Since
// 1.37 kube-apiserver has generated validation, and this server has the same rules on every release:
// kube-apiserver repeats no failure of the metadata, says that a missing type is required, and
// judges what belongs to a type that it does not support. See the intended differences in
// docs/evidence/conformance.md.
func asLater(ours, theirs verdict) (verdict, verdict) {
	if binaries.Base() == binaries.FirstBase || ours.Code != theirs.Code {
		return ours, theirs
	}
	ours.Causes, theirs.Causes = slices.Compact(slices.Clone(ours.Causes)), slices.Clone(theirs.Causes)
	for i, cause := range theirs.Causes {
		if field, ok := strings.CutPrefix(cause, required); ok && strings.HasSuffix(field, "type") && !slices.Contains(ours.Causes, cause) {
			theirs.Causes[i] = notSupported + field
		}
	}
	theirs.Causes = slices.DeleteFunc(theirs.Causes, func(cause string) bool {
		return !slices.Contains(ours.Causes, cause) && slices.ContainsFunc(ours.Causes, func(by string) bool { return isDecidedBy(cause, by) })
	})
	slices.Sort(theirs.Causes)
	theirs.Causes = slices.Compact(theirs.Causes)
	return ours, theirs
}

// isDecidedBy reports whether a failure is of a field that belongs to a type which is not supported,
// or below a field that is forbidden.
func isDecidedBy(failure, by string) bool {
	_, field, _ := strings.Cut(failure, " ")
	switch by {
	case notSupported + "spec.type":
		return strings.HasPrefix(field, "spec.limited") || strings.HasPrefix(field, "spec.exempt")
	case notSupported + "spec.limited.limitResponse.type":
		return strings.HasPrefix(field, "spec.limited.limitResponse.queuing")
	}
	owner, ok := strings.CutPrefix(by, "FieldValueForbidden ")
	return ok && strings.HasPrefix(field, owner+".")
}

// notLater lists faults that later releases report of other fields.
func notLater() []string {
	if binaries.Base() == binaries.FirstBase {
		return nil
	}
	return []string{"FieldValueInvalid metadata.ownerReferences", "FieldValueInvalid metadata.ownerReferences.apiVersion"}
}
