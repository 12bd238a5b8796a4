package validation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// requireFaults compares the errors, each written as "type path", regardless of
// their order.
func requireFaults(t *testing.T, errs field.ErrorList, want []string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, string(err.Type)+" "+err.Field)
	}
	sorted := slices.Sorted(slices.Values(want))
	slices.Sort(got)
	if diff := cmp.Diff(sorted, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("faults differ (-want +got):\n%s\n%v", diff, errs.ToAggregate())
	}
}

// requireUnchanged holds that validation only reads.
func requireUnchanged(t *testing.T, before, after any) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("validation changed the object (-before +after):\n%s", diff)
	}
}
