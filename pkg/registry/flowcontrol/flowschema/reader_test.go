package flowschema

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// levels answers by the resource version that is asked for.
type levels map[string]error

func (l levels) Get(_ context.Context, _ string, options *metav1.GetOptions) (runtime.Object, error) {
	return &flowcontrol.PriorityLevelConfiguration{}, l[options.ResourceVersion]
}

func TestSchemasAreNotOlderThanTheLastWriteOfThisServer(t *testing.T) {
	store := &genericregistry.Store{}
	stored := newCatalogue(store, nil)

	all := []string{metav1.DryRunAll}
	wrote := func(version string) runtime.Object {
		return &flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	}
	for _, step := range []struct {
		name  string
		write func()
		want  uint64
	}{
		{"no write", func() {}, 0},
		{"a create", func() { store.AfterCreate(wrote("7"), &metav1.CreateOptions{}) }, 7},
		{"an update", func() { store.AfterUpdate(wrote("9"), &metav1.UpdateOptions{}) }, 9},
		{"an earlier write that ends late", func() { store.AfterUpdate(wrote("8"), &metav1.UpdateOptions{}) }, 9},
		{"a dry run", func() { store.AfterCreate(wrote(""), &metav1.CreateOptions{DryRun: all}) }, 9},
		{"a dry run that claims a version of the future", func() {
			store.AfterCreate(wrote("99"), &metav1.CreateOptions{DryRun: all})
			store.AfterUpdate(wrote("99"), &metav1.UpdateOptions{DryRun: all})
			store.AfterDelete(wrote("99"), &metav1.DeleteOptions{DryRun: all})
		}, 9},
		{"a deletion", func() { store.AfterDelete(wrote("10"), &metav1.DeleteOptions{}) }, 10},
	} {
		step.write()
		require.Equal(t, step.want, stored.now().version, step.name)
	}
}

func TestLevelIsLookedUpInTheCacheAndInTheStore(t *testing.T) {
	notFound := apierrors.NewNotFound(flowcontrol.Resource("prioritylevelconfigurations"), "level")
	broken := errors.New("no store")
	for _, test := range []struct {
		name                 string
		cache, store         error
		exists               bool
		absent               bool
		existsErr, absentErr error
	}{
		{"in both", nil, nil, true, false, nil, nil},
		{"in the store alone", notFound, nil, false, false, nil, nil},
		{"in neither", notFound, notFound, false, true, nil, nil},
		{"who knows", broken, broken, false, false, broken, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := &catalogue{levels: levels{"0": test.cache, "": test.store}}
			exists, err := stored.LevelExists(t.Context(), "level")
			require.Equal(t, test.exists, exists)
			require.ErrorIs(t, err, test.existsErr)
			absent, err := stored.LevelIsAbsent(t.Context(), "level")
			require.Equal(t, test.absent, absent)
			require.ErrorIs(t, err, test.absentErr)
		})
	}
}
