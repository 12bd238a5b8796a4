package flowcontrol

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
)

func TestReaderIncludesTheWritesOfThisServer(t *testing.T) {
	store := &genericregistry.Store{}
	configuration := &stored{}
	configuration.observe(store)

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
		{"an earlier write that completes later", func() { store.AfterUpdate(wrote("8"), &metav1.UpdateOptions{}) }, 9},
		{"a dry run", func() { store.AfterCreate(wrote(""), &metav1.CreateOptions{DryRun: all}) }, 9},
		{"a dry run with a resource version from the future", func() {
			store.AfterCreate(wrote("99"), &metav1.CreateOptions{DryRun: all})
			store.AfterUpdate(wrote("99"), &metav1.UpdateOptions{DryRun: all})
			store.AfterDelete(wrote("99"), &metav1.DeleteOptions{DryRun: all})
		}, 9},
		{"a deletion", func() { store.AfterDelete(wrote("10"), &metav1.DeleteOptions{}) }, 10},
	} {
		step.write()
		require.Equal(t, step.want, configuration.current().(storedAt).version, step.name)
	}
}

// latestLevel is the answer of the store to a read of a level.
type latestLevel struct{ err error }

func (l latestLevel) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return &flowcontrol.PriorityLevelConfiguration{}, l.err
}

func TestLevelsAreReadFromTheInformerAndFromTheStore(t *testing.T) {
	broken := errors.New("no store")
	for _, test := range []struct {
		name      string
		known     bool // by the informer
		latest    error
		absent    bool
		absentErr error
	}{
		{"in both", true, nil, false, nil},
		{"in the store alone", false, nil, false, nil},
		{"in neither", false, apierrors.NewNotFound(flowcontrol.Resource("prioritylevelconfigurations"), "level"), true, nil},
		{"read error", false, broken, false, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			informers := externalversions.NewSharedInformerFactory(nil, 0).Flowcontrol().V1()
			configuration, err := newStored(informers, latestLevel{test.latest})
			require.NoError(t, err)
			if test.known {
				level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "level"}}
				require.NoError(t, informers.PriorityLevelConfigurations().Informer().GetStore().Add(level))
			}
			exists, err := configuration.LevelExists(t.Context(), "level")
			require.NoError(t, err)
			require.Equal(t, test.known, exists)
			all, err := configuration.PriorityLevels(t.Context())
			require.NoError(t, err)
			require.Equal(t, test.known, len(all) == 1)
			absent, err := configuration.LevelIsAbsent(t.Context(), "level")
			require.Equal(t, test.absent, absent)
			require.ErrorIs(t, err, test.absentErr)
		})
	}
}
