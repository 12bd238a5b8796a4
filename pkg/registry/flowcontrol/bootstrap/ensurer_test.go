package bootstrap

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	clienttesting "k8s.io/client-go/testing"
)

func TestAnEmptyStoreIsFilledInOnePass(t *testing.T) {
	a := newAPI(t)
	k := a.keeper()
	require.NoError(t, k.EnsureOnce(t.Context()))

	for _, builtIn := range slices.Concat(library.MandatoryPriorityLevelConfigurations, library.SuggestedPriorityLevelConfigurations) {
		require.Equal(t, builtIn.Spec, a.level(builtIn.Name).Spec)
		require.Equal(t, "true", said(a.level(builtIn.Name)))
	}
	for _, builtIn := range slices.Concat(library.MandatoryFlowSchemas, library.SuggestedFlowSchemas) {
		require.Equal(t, builtIn.Spec, a.schema(builtIn.Name).Spec)
		require.Equal(t, "true", said(a.schema(builtIn.Name)))
	}

	t.Run("by one list of each kind and no other read", func(t *testing.T) {
		require.Equal(t, []string{"list prioritylevelconfigurations ", "list flowschemas "}, a.requests("list", "get"))
	})
	t.Run("the lists take what the watch cache has, or else what etcd has", func(t *testing.T) {
		for _, action := range a.Actions() {
			if list, ok := action.(clienttesting.ListActionImpl); ok {
				require.Equal(t, "0", list.ListOptions.ResourceVersion)
				require.NotZero(t, list.ListOptions.Limit)
			}
		}
	})
	t.Run("levels before schemas, mandatory before suggested", func(t *testing.T) {
		creations := a.requests("create")
		for _, step := range []struct {
			resource string
			names    []string
		}{
			{levelsResource, names(library.MandatoryPriorityLevelConfigurations)},
			{levelsResource, names(library.SuggestedPriorityLevelConfigurations)},
			{schemasResource, names(library.MandatoryFlowSchemas)},
			{schemasResource, names(library.SuggestedFlowSchemas)},
		} {
			var want []string
			for _, name := range step.names {
				want = append(want, "create "+step.resource+" "+name)
			}
			require.ElementsMatch(t, want, creations[:len(want)])
			creations = creations[len(want):]
		}
		require.Empty(t, creations)
	})
	t.Run("as the field manager of kube-apiserver", func(t *testing.T) {
		require.Equal(t, "api-priority-and-fairness-config-producer-v1", a.schema("catch-all").ManagedFields[0].Manager)
	})
	t.Run("and the next pass has nothing to do", func(t *testing.T) {
		a.ClearActions()
		require.NoError(t, k.EnsureOnce(t.Context()))
		require.Empty(t, a.requests())
	})
}

func TestAPassRepairs(t *testing.T) {
	user := []flowcontrolv1.PolicyRulesWithSubjects{{Subjects: []flowcontrolv1.Subject{{Kind: "User", User: &flowcontrolv1.UserSubject{Name: "alice"}}}}}
	for _, c := range []struct {
		name            string
		schema          string
		annotation      string
		generation      int64
		changed         bool // the spec is the user's
		wantRestored    bool
		wantAnnotation  string
		wantNothingToDo bool
	}{
		{name: "a mandatory object that a user changed", schema: "catch-all", annotation: "true", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "a mandatory object that a user claimed", schema: "exempt", annotation: "false", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "a suggested object that says true and was changed", schema: "probes", annotation: "true", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "nothing of a suggested object that says false", schema: "probes", annotation: "false", generation: 2, changed: true, wantAnnotation: "false", wantNothingToDo: true},
		{name: "a suggested object of another release that says nothing", schema: "probes", annotation: "absent", generation: 1, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "only the annotation of what a user changed and says nothing", schema: "probes", annotation: "absent", generation: 2, changed: true, wantAnnotation: "false"},
		{name: "a suggested object of another release that says nonsense", schema: "probes", annotation: "perhaps", generation: 1, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "only the annotation of what a user changed and says nonsense", schema: "probes", annotation: "perhaps", generation: 2, changed: true, wantAnnotation: "false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kept(t)
			builtIn := a.schema(c.schema).Spec
			stored := saying(a.schema(c.schema), c.annotation)
			stored.Generation = c.generation
			stored.Labels = map[string]string{"team": "blue"}
			if c.changed {
				stored.Spec.Rules = user
			}
			a.put(stored)

			require.NoError(t, a.keeper().EnsureOnce(t.Context()))

			got := a.schema(c.schema)
			if c.wantRestored {
				require.Equal(t, builtIn, got.Spec)
			} else {
				require.Equal(t, user, got.Spec.Rules)
			}
			require.Equal(t, c.wantAnnotation, said(got))
			require.Equal(t, "blue", got.Labels["team"], "what else a user wrote stays")
			if c.wantNothingToDo {
				require.Empty(t, a.requests())
				return
			}
			require.Equal(t, []string{"update flowschemas " + c.schema}, a.requests())
			update := a.Actions()[len(a.Actions())-1].(clienttesting.UpdateActionImpl)
			require.Equal(t, fieldManager, update.UpdateOptions.FieldManager)
		})
	}
}

func TestADeletionDoesNotLast(t *testing.T) {
	for _, c := range []struct{ name, resource, object string }{
		{"of a suggested schema", schemasResource, "service-accounts"},
		{"of a suggested level", levelsResource, "workload-low"},
		{"of a mandatory schema", schemasResource, "exempt"},
		{"of a mandatory level", levelsResource, "catch-all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kept(t)
			a.drop(c.resource, c.object)
			require.NoError(t, a.keeper().EnsureOnce(t.Context()))
			require.NotNil(t, a.stored(c.resource, c.object))
			require.Equal(t, []string{"create " + c.resource + " " + c.object}, a.requests())
		})
	}
}

func TestWhatAUserSetsOnTheLevelExemptLasts(t *testing.T) {
	a := kept(t)
	level := a.level("exempt")
	*level.Spec.Exempt.NominalConcurrencyShares = 40
	*level.Spec.Exempt.LendablePercent = 50
	a.put(level)
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))
	require.Empty(t, a.requests())
	require.EqualValues(t, 40, *a.level("exempt").Spec.Exempt.NominalConcurrencyShares)
}

func TestAFailureConcernsAsLittleAsItCan(t *testing.T) {
	refusal := func() error { return apierrors.NewInternalError(errors.New("disk full")) }
	for _, c := range []struct {
		name, verb, resource, object, wantError string
		wantCreations                           int
	}{
		{"the list of levels: nothing is written", "list", levelsResource, "", "list of PriorityLevelConfigurations", 0},
		{"the list of schemas: the levels are there", "list", schemasResource, "", "list of FlowSchemas", 8},
		{"one level: all levels are tried, schemas wait", "create", levelsResource, "system", `PriorityLevelConfiguration "system": create: `, 8},
		{"one mandatory schema: the others are created", "create", schemasResource, "exempt", `FlowSchema "exempt": create: `, 21},
		{"one suggested schema: the others are created", "create", schemasResource, "probes", `FlowSchema "probes": create: `, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t)
			a.put(saying(newSchema("obsolete", "system", 100), "true"))
			a.fail(c.verb, c.resource, c.object, refusal)
			err := a.keeper().EnsureOnce(t.Context())
			require.ErrorContains(t, err, c.wantError)
			require.ErrorContains(t, err, "disk full")
			require.Len(t, a.requests("create"), c.wantCreations)
			require.Empty(t, a.requests("delete"), "leftovers wait until all else is well")
		})
	}
	t.Run("one leftover: the others are deleted", func(t *testing.T) {
		a := kept(t)
		a.put(saying(newSchema("obsolete", "system", 100), "true"))
		a.put(saying(newSchema("stuck", "system", 100), "true"))
		a.put(saying(newLevel("obsolete", 5), "true"))
		a.fail("delete", schemasResource, "stuck", refusal)
		require.ErrorContains(t, a.keeper().EnsureOnce(t.Context()), `FlowSchema "stuck": delete: `)
		require.Nil(t, a.stored(schemasResource, "obsolete"))
		require.Nil(t, a.stored(levelsResource, "obsolete"))
	})
	t.Run("a read after a conflict", func(t *testing.T) {
		a := kept(t)
		a.drop(schemasResource, "probes")
		a.before("create", schemasResource, func() { a.put(newSchema("probes", "exempt", 77)) })
		a.fail("get", schemasResource, "probes", refusal)
		require.ErrorContains(t, a.keeper().EnsureOnce(t.Context()), `FlowSchema "probes": read again: `)
	})
}

func TestAPassEndsWithItsContext(t *testing.T) {
	a := newAPI(t)
	ctx, cancel := context.WithCancel(t.Context())
	a.before("list", levelsResource, cancel)
	require.ErrorIs(t, a.keeper().EnsureOnce(ctx), context.Canceled)
	require.Empty(t, a.requests())
}

func TestAListIsReadToItsEnd(t *testing.T) {
	a := kept(t)
	all, err := a.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	a.ClearActions()
	var asked []metav1.ListOptions
	a.PrependReactor("list", schemasResource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		options := action.(clienttesting.ListActionImpl).ListOptions
		asked = append(asked, options)
		if options.Continue == "" {
			return true, &flowcontrolv1.FlowSchemaList{ListMeta: metav1.ListMeta{Continue: "rest"}, Items: all.Items[:5]}, nil
		}
		return true, &flowcontrolv1.FlowSchemaList{Items: all.Items[5:]}, nil
	})
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))
	require.Empty(t, a.requests(), "what is on the second page is not missing")
	require.Equal(t, []metav1.ListOptions{{ResourceVersion: "0", Limit: pageSize}, {Continue: "rest", Limit: pageSize}}, asked)
}

func TestAFewAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var running, most int
		release := make(chan struct{})
		done := make(chan error)
		go func() {
			done <- forEach(t.Context(), make([]int, 3*writers), func(int) error {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				<-release
				mu.Lock()
				running--
				mu.Unlock()
				return nil
			})
		}()
		synctest.Wait()
		close(release)
		require.NoError(t, <-done)
		require.Equal(t, writers, most)
	})
}

func TestEachChangeIsLoggedOnce(t *testing.T) {
	for _, c := range []struct {
		name, line string
		arrange    func(*api)
	}{
		{"a creation", `"level"=2 "msg"="Created a built-in object" "kind"="FlowSchema" "name"="probes" "role"="suggested"`,
			func(a *api) { a.drop(schemasResource, "probes") }},
		{"a restored spec", `"level"=0 "msg"="Restored the spec of a built-in object" "kind"="PriorityLevelConfiguration" "name"="catch-all" "role"="mandatory"`,
			func(a *api) { a.put(saying(newLevel("catch-all", 77), "false")) }},
		{"a corrected annotation", `"level"=2 "msg"="Made the annotation of a built-in object say who owns its spec" "kind"="FlowSchema" "name"="probes" "role"="suggested" "serverOwnsSpec"=true`,
			func(a *api) { a.put(saying(a.schema("probes"), "absent")) }},
		{"a deletion", `"level"=0 "msg"="Deleted an object that is no longer built in" "kind"="FlowSchema" "name"="obsolete"`,
			func(a *api) { a.put(saying(newSchema("obsolete", "system", 100), "true")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kept(t)
			c.arrange(a)
			logger, lines := logLines()
			k := New(a.FlowcontrolV1(), nil, logger)
			require.NoError(t, k.EnsureOnce(t.Context()))
			require.NoError(t, k.EnsureOnce(t.Context()))
			require.Equal(t, []string{c.line}, lines())
		})
	}
}
