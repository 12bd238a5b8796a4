package strategy

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

func TestObjectsAreClusterScopedAndNotCreatedByPut(t *testing.T) {
	s := New(install.NewScheme(), rest.DeleteDependents)
	require.False(t, s.NamespaceScoped())
	require.False(t, s.AllowCreateOnUpdate())
	require.True(t, s.AllowUnconditionalUpdate())
	require.Regexp(t, "^base-[a-z0-9]{5}$", s.GenerateName("base-"))
}

func TestGenerationChangesWithTheSpecOnly(t *testing.T) {
	type spec struct{ List []string }
	for _, test := range []struct {
		name         string
		updated, old spec
		want         int64
	}{
		{"the same spec", spec{[]string{"a"}}, spec{[]string{"a"}}, 4},
		{"another spec", spec{[]string{"a"}}, spec{[]string{"b"}}, 5},
		{"an empty list instead of none, which is equal", spec{[]string{}}, spec{}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := metav1.ObjectMeta{Generation: 4}
			updated := old
			IncrementGeneration(&updated, &old, test.updated, test.old)
			require.Equal(t, test.want, updated.Generation)
			require.EqualValues(t, 4, old.Generation)
		})
	}
}

func TestMetadataIsKeptExceptForManagedFields(t *testing.T) {
	old := metav1.ObjectMeta{Name: "name", Labels: map[string]string{"a": "b"}, Generation: 3, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "before"}}}
	updated := metav1.ObjectMeta{Name: "name", Labels: map[string]string{"c": "d"}, Generation: 9, Finalizers: []string{"f"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "now"}}}
	KeepMetadata(&updated, &old)
	want := old
	want.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "now"}}
	require.Equal(t, want, updated)
	require.Equal(t, "before", old.ManagedFields[0].Manager)
}

func TestFieldsAreResetInEveryVersion(t *testing.T) {
	fields := ResetFields("spec", "metadata")
	for _, version := range []string{flowcontrolv1.SchemeGroupVersion.String(), flowcontrolv1beta3.SchemeGroupVersion.String()} {
		set := fields[fieldpath.APIVersion(version)]
		require.NotNil(t, set, version)
		require.True(t, set.Has(fieldpath.MakePathOrDie("spec")))
		require.True(t, set.Has(fieldpath.MakePathOrDie("metadata")))
		require.False(t, set.Has(fieldpath.MakePathOrDie("status")))
	}
	require.Len(t, fields, 2)
}
