package badrequest

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
)

// TestAnErrorOfAnUpdateHasNoGoSyntax takes the errors from the library and the strategy,
// in the order of an update.
func TestAnErrorOfAnUpdateHasNoGoSyntax(t *testing.T) {
	now := metav1.Now()
	old := metav1.ObjectMeta{Name: "a", UID: "1", ResourceVersion: "1", DeletionTimestamp: &now}
	updated := old.DeepCopy()
	updated.Finalizers = []string{"example.org/a", "example.org/b"}
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "A", Name: "a", UID: "1", Controller: new(true)}
	event := metav1.OwnerReference{APIVersion: "v1", Kind: "Event", Name: "a", UID: "2"}
	updated.OwnerReferences = []metav1.OwnerReference{owner, event, owner}

	path := field.NewPath("metadata")
	errs := slices.Concat(apimachineryvalidation.ValidateObjectMeta(updated, false, apimachineryvalidation.NameIsDNSSubdomain, path),
		apimachineryvalidation.ValidateObjectMetaUpdate(updated, &old, path), validation.ValidateFlowSchema(&flowcontrol.FlowSchema{ObjectMeta: *updated, Spec: flowcontrol.FlowSchemaSpec{
			MatchingPrecedence: 5, PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: `[]string{"sent"}`},
		}}))
	plain := WithoutGoSyntax(apierrors.NewInvalid(flowcontrol.SchemeGroupVersion.WithKind("FlowSchema").GroupKind(), "a", errs))

	require.True(t, apierrors.IsInvalid(plain))
	status, _ := errors.AsType[*apierrors.StatusError](plain)
	require.Len(t, status.ErrStatus.Details.Causes, len(errs))
	for _, cause := range status.ErrStatus.Details.Causes {
		require.Empty(t, gosyntax.Find(cause.Message), "%s", cause.Message)
	}
	require.Empty(t, gosyntax.Find(plain.Error()), "%s", plain)
	for _, text := range []string{
		`FlowSchema.flowcontrol.apiserver.k8s.io "a" is invalid: [metadata.ownerReferences`, `Invalid value: {"apiVersion":"v1","kind":"Event",`,
		`found new finalizers "example.org/a", "example.org/b"`, `[]string{\"sent\"}`,
	} {
		require.ErrorContains(t, plain, text)
	}
	for _, unchanged := range []error{nil, errors.New("disk failure"), apierrors.NewBadRequest("bad")} {
		require.Equal(t, unchanged, WithoutGoSyntax(unchanged))
	}
}
