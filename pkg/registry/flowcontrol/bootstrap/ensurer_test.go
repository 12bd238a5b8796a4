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
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	clienttesting "k8s.io/client-go/testing"
)

func TestAnEmptyStoreIsFilledInOnePass(t *testing.T) {
	a := newAPI(t)
	k := a.keeper()
	require.NoError(t, k.EnsureOnce(t.Context()))

	for _, builtIn := range slices.Concat(library.MandatoryPriorityLevelConfigurations, library.SuggestedPriorityLevelConfigurations) {
		require.Equal(t, builtIn.Spec, a.level(builtIn.Name).Spec)
		require.Equal(t, "true", autoUpdateAnnotation(a.level(builtIn.Name)))
	}
	for _, builtIn := range slices.Concat(library.MandatoryFlowSchemas, library.SuggestedFlowSchemas) {
		require.Equal(t, builtIn.Spec, a.schema(builtIn.Name).Spec)
		require.Equal(t, "true", autoUpdateAnnotation(a.schema(builtIn.Name)))
	}

	t.Run("without a read through the API", func(t *testing.T) {
		require.Empty(t, a.requests("list", "get", "watch"))
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
	t.Run("with the field manager of kube-apiserver", func(t *testing.T) {
		require.Equal(t, "api-priority-and-fairness-config-producer-v1", a.schema(flowcontrolv1.FlowSchemaNameCatchAll).ManagedFields[0].Manager)
	})
	t.Run("the next pass writes nothing", func(t *testing.T) {
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
		{name: "a mandatory object that a user changed", schema: flowcontrolv1.FlowSchemaNameCatchAll, annotation: "true", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "a mandatory object that a user claimed", schema: flowcontrolv1.FlowSchemaNameExempt, annotation: "false", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "a suggested object with true and was changed", schema: "probes", annotation: "true", generation: 2, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "nothing of a suggested object with false", schema: "probes", annotation: "false", generation: 2, changed: true, wantAnnotation: "false", wantNothingToDo: true},
		{name: "a suggested object of another release that has no annotation", schema: "probes", annotation: "absent", generation: 1, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "only the annotation of what a user changed and has no annotation", schema: "probes", annotation: "absent", generation: 2, changed: true, wantAnnotation: "false"},
		{name: "a suggested object of another release that has an invalid annotation", schema: "probes", annotation: "perhaps", generation: 1, changed: true, wantRestored: true, wantAnnotation: "true"},
		{name: "only the annotation of what a user changed and has an invalid annotation", schema: "probes", annotation: "perhaps", generation: 2, changed: true, wantAnnotation: "false"},
		{name: "only the annotation of what a user changed and has an empty annotation", schema: "probes", annotation: "", generation: 2, changed: true, wantAnnotation: "false"},
		{name: "only the annotation of an object of this release that has none", schema: "probes", annotation: "absent", generation: 1, wantRestored: true, wantAnnotation: "true"},
		{name: "only the annotation of a mandatory object that a user claimed", schema: flowcontrolv1.FlowSchemaNameExempt, annotation: "false", generation: 1, wantRestored: true, wantAnnotation: "true"},
		{name: "nothing of what is as it should be", schema: "probes", annotation: "true", generation: 1, wantRestored: true, wantAnnotation: "true", wantNothingToDo: true},
		{name: "nothing of a suggested object with another spelling of true", schema: "probes", annotation: "1", generation: 2, wantRestored: true, wantAnnotation: "1", wantNothingToDo: true},
		{name: "nothing of a suggested object with another spelling of false", schema: "probes", annotation: "False", generation: 1, changed: true, wantAnnotation: "False", wantNothingToDo: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := filled(t)
			builtIn := a.schema(c.schema).Spec
			stored := withAutoUpdate(a.schema(c.schema), c.annotation)
			stored.Generation = c.generation
			stored.Labels = map[string]string{"team": "blue"}
			metav1.SetMetaDataAnnotation(&stored.ObjectMeta, "example.com/team", "blue")
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
			require.Equal(t, c.wantAnnotation, autoUpdateAnnotation(got))
			require.Equal(t, []string{"blue", "blue"}, []string{got.Labels["team"], got.Annotations["example.com/team"]}, "what is the user's stays")
			if c.wantNothingToDo {
				require.Empty(t, a.requests())
				return
			}
			require.Equal(t, []string{"update flowschemas " + c.schema}, a.requests())
			update := a.Actions()[len(a.Actions())-1].(clienttesting.UpdateActionImpl)
			require.Equal(t, "api-priority-and-fairness-config-producer-v1", update.UpdateOptions.FieldManager)
		})
	}
}

func TestAFailureConcernsAsLittleAsItCan(t *testing.T) {
	rejection := func() error { return apierrors.NewInternalError(errors.New("disk full")) }
	all := len(library.MandatoryPriorityLevelConfigurations) + len(library.SuggestedPriorityLevelConfigurations) +
		len(library.MandatoryFlowSchemas) + len(library.SuggestedFlowSchemas)
	for _, c := range []struct {
		name, resource, object, wantError string
	}{
		{"one mandatory level", levelsResource, flowcontrolv1.PriorityLevelConfigurationNameCatchAll, `PriorityLevelConfiguration "catch-all": create: `},
		{"one suggested level", levelsResource, "system", `PriorityLevelConfiguration "system": create: `},
		{"one mandatory schema", schemasResource, flowcontrolv1.FlowSchemaNameExempt, `FlowSchema "exempt": create: `},
		{"one suggested schema", schemasResource, "probes", `FlowSchema "probes": create: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t)
			a.put(withAutoUpdate(newSchema("obsolete", "system", 100), "true"))
			a.fail("create", c.resource, c.object, rejection)
			err := a.keeper().EnsureOnce(t.Context())
			require.ErrorContains(t, err, c.wantError)
			require.ErrorContains(t, err, "disk full")
			require.Len(t, a.requests("create"), all, "the others are created")
			require.Nil(t, a.stored(c.resource, c.object))
			require.Empty(t, a.requests("delete"), "obsolete objects are deleted last")
		})
	}
	t.Run("one obsolete object: the others are deleted", func(t *testing.T) {
		a := filled(t)
		a.put(withAutoUpdate(newSchema("obsolete", "system", 100), "true"))
		a.put(withAutoUpdate(newSchema("stuck", "system", 100), "true"))
		a.put(withAutoUpdate(newLevel("obsolete", 5), "true"))
		a.fail("delete", schemasResource, "stuck", rejection)
		require.ErrorContains(t, a.keeper().EnsureOnce(t.Context()), `FlowSchema "stuck": delete: `)
		require.Nil(t, a.stored(schemasResource, "obsolete"))
		require.Nil(t, a.stored(levelsResource, "obsolete"))
	})
	t.Run("a read after a conflict", func(t *testing.T) {
		a := filled(t)
		a.drop(schemasResource, "probes")
		a.before("create", schemasResource, func() { a.put(newSchema("probes", flowcontrolv1.PriorityLevelConfigurationNameExempt, 77)) })
		a.fail("get", schemasResource, "probes", rejection)
		require.ErrorContains(t, a.keeper().EnsureOnce(t.Context()), `FlowSchema "probes": get after a conflict: `)
	})
}

func TestAPassEndsWithItsContext(t *testing.T) {
	a := newAPI(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.keeper().EnsureOnce(ctx), context.Canceled)
	require.Empty(t, a.requests())
}

func TestAFewAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var running, most int
		release := make(chan struct{})
		done := make(chan error)
		go func() {
			done <- forEach(t.Context(), make([]int, 3*maxWriters), func(int) error {
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
		require.Equal(t, maxWriters, most)
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
			func(a *api) {
				a.put(withAutoUpdate(newLevel(flowcontrolv1.PriorityLevelConfigurationNameCatchAll, 77), "false"))
			}},
		{"a corrected annotation", `"level"=2 "msg"="Updated the autoupdate-spec annotation of a built-in object" "kind"="FlowSchema" "name"="probes" "role"="suggested" "autoUpdate"=true`,
			func(a *api) { a.put(withAutoUpdate(a.schema("probes"), "absent")) }},
		{"a deletion", `"level"=0 "msg"="Deleted an object that is no longer built in" "kind"="FlowSchema" "name"="obsolete"`,
			func(a *api) { a.put(withAutoUpdate(newSchema("obsolete", "system", 100), "true")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := filled(t)
			c.arrange(a)
			logger, lines := logLines()
			k := a.newKeeper(nil, logger)
			require.NoError(t, k.EnsureOnce(t.Context()))
			require.NoError(t, k.EnsureOnce(t.Context()))
			require.Equal(t, []string{c.line}, lines())
		})
	}
}
