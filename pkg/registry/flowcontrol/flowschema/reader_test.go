package flowschema

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
)

// levels holds the error of each resource version that is read.
type levels map[string]error

func (l levels) List(_ context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	return &flowcontrol.PriorityLevelConfigurationList{Items: make([]flowcontrol.PriorityLevelConfiguration, 1)}, l[options.ResourceVersion]
}

func (l levels) NewList() runtime.Object { return &flowcontrol.PriorityLevelConfigurationList{} }

func (l levels) ConvertToTable(context.Context, runtime.Object, runtime.Object) (*metav1.Table, error) {
	return nil, nil
}

func (l levels) Get(_ context.Context, _ string, options *metav1.GetOptions) (runtime.Object, error) {
	return &flowcontrol.PriorityLevelConfiguration{}, l[options.ResourceVersion]
}

func TestReaderIncludesTheWritesOfThisServer(t *testing.T) {
	store := &genericregistry.Store{}
	stored := newReader(store, nil)

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
		require.Equal(t, step.want, stored.current().version, step.name)
	}
}

func TestLevelsAreReadFromTheCacheAndFromTheStore(t *testing.T) {
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
		{"read error", broken, broken, false, false, broken, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := &reader{levels: levels{"0": test.cache, "": test.store}}
			exists, err := stored.LevelExists(t.Context(), "level")
			require.Equal(t, test.exists, exists)
			require.ErrorIs(t, err, test.existsErr)
			all, err := stored.PriorityLevels(t.Context())
			require.ErrorIs(t, err, test.cache)
			require.Equal(t, test.cache == nil, len(all) == 1)
			absent, err := stored.LevelIsAbsent(t.Context(), "level")
			require.Equal(t, test.absent, absent)
			require.ErrorIs(t, err, test.absentErr)
		})
	}
}

// BenchmarkLintOnCreate measures the cost that lint adds to a create among
// 10,000 schemas of different users.
func BenchmarkLintOnCreate(b *testing.B) {
	const count = 10_000
	var all []any
	for i := range count {
		all = append(all, schemaOfUser(fmt.Sprintf("schema-%05d", i), fmt.Sprintf("user-%05d", i), int32(1000+i%8000)))
	}
	for name, user := range map[string]flowcontrol.Subject{
		"for a user":  {Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: "new"}},
		"for a group": {Kind: flowcontrol.SubjectKindGroup, Group: &flowcontrol.GroupSubject{Name: "new"}},
	} {
		b.Run(name, func(b *testing.B) {
			stored := newReader(&genericregistry.Store{}, levels{})
			stored.schemas.startOnce.Do(func() {})
			require.NoError(b, stored.schemas.Replace(all, "5"))
			advisor := lint.NewAdvisor(bootstrap.Defaults(), 600)
			written := schemaOfUser("new", "", 9000)
			written.Spec.Rules[0].Subjects[0] = user
			schema := forLint(written)
			b.ReportAllocs()
			for b.Loop() {
				if found := advisor.FlowSchema(b.Context(), schema, stored.current()); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

func schemaOfUser(name, user string, precedence int32) *flowcontrol.FlowSchema {
	schema := event(name, 1)
	schema.Spec = flowcontrol.FlowSchemaSpec{MatchingPrecedence: precedence, Rules: []flowcontrol.PolicyRulesWithSubjects{{
		Subjects: []flowcontrol.Subject{{Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: user}}},
		ResourceRules: []flowcontrol.ResourcePolicyRule{{
			Verbs: []string{"get", "list"}, APIGroups: []string{"example.org"}, Resources: []string{"widgets"}, ClusterScope: true, Namespaces: []string{"*"},
		}},
	}}}
	return schema
}
