package flowcontrol

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
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

// BenchmarkLintOnCreate measures the cost that lint adds to a create among
// 10,000 schemas of different users.
func BenchmarkLintOnCreate(b *testing.B) {
	const count = 10_000
	schemas := newCache()
	for i := range count {
		schemas.OnAdd(schemaOfUser(fmt.Sprintf("schema-%05d", i), fmt.Sprintf("user-%05d", i), int32(1000+i%8000)), true)
	}
	for name, user := range map[string]flowcontrolv1.Subject{
		"for a user":  {Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "new"}},
		"for a group": {Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: "new"}},
	} {
		b.Run(name, func(b *testing.B) {
			configuration, err := newStored(externalversions.NewSharedInformerFactory(nil, 0).Flowcontrol().V1(), latestLevel{})
			require.NoError(b, err)
			configuration.schemas = schemas
			advisor := lint.NewAdvisor(bootstrap.Defaults(), 600)
			schema := schemaOfUser("new", "", 9000)
			schema.Spec.Rules[0].Subjects[0] = user
			b.ReportAllocs()
			for b.Loop() {
				if found := advisor.FlowSchema(b.Context(), schema, configuration.current()); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

func schemaOfUser(name, user string, precedence int32) *flowcontrolv1.FlowSchema {
	schema := named(name, 1)
	schema.Spec = flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: precedence, Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: user}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs: []string{"get", "list"}, APIGroups: []string{"example.org"}, Resources: []string{"widgets"}, ClusterScope: true, Namespaces: []string{"*"},
		}},
	}}}
	return schema
}
