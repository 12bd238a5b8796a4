package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

func TestObsoleteObjectsAreDeleted(t *testing.T) {
	terminating := withAutoUpdate(newSchema("terminating", "system", 100), "true")
	terminating.DeletionTimestamp, terminating.Finalizers = &metav1.Time{}, []string{"example.com/wait"}

	a := filled(t)
	for _, object := range []metav1.Object{
		withAutoUpdate(newSchema("obsolete", "obsolete", 100), "true"),
		withAutoUpdate(newLevel("obsolete", 5), "true"),
		withAutoUpdate(newSchema("claimed", "system", 100), "false"),
		withAutoUpdate(newSchema("invalid", "system", 100), "perhaps"),
		withAutoUpdate(newSchema("own", "own", 100), "absent"),
		withAutoUpdate(newLevel("own", 5), "absent"),
		terminating,
	} {
		a.put(object)
	}
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))

	t.Run("schemas before levels, and nothing else", func(t *testing.T) {
		require.Equal(t, []string{"delete flowschemas obsolete", "delete prioritylevelconfigurations obsolete"}, a.requests())
		require.Nil(t, a.stored(schemasResource, "obsolete"))
		require.Nil(t, a.stored(levelsResource, "obsolete"))
	})
}

func TestObsoleteObjectChangesConcurrently(t *testing.T) {
	for _, c := range []struct {
		name         string
		concurrently func(*api)
		wantStored   bool
		wantWrites   []string
	}{
		{"is not deleted if a user has taken it over",
			func(a *api) { a.put(withAutoUpdate(newSchema("obsolete", "system", 200), "false")) },
			true, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
		{"is not deleted if it is another object of that name",
			func(a *api) {
				a.drop(schemasResource, "obsolete")
				a.put(withAutoUpdate(newSchema("obsolete", "system", 100), "absent"))
			},
			true, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
		{"is deleted if it is still obsolete",
			func(a *api) { a.put(withAutoUpdate(newSchema("obsolete", "system", 200), "true")) },
			false, []string{"delete flowschemas obsolete", "get flowschemas obsolete", "delete flowschemas obsolete"}},
		{"is ignored if another server has deleted it",
			func(a *api) { a.drop(schemasResource, "obsolete") },
			false, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := filled(t)
			a.put(withAutoUpdate(newSchema("obsolete", "system", 100), "true"))
			a.before("delete", schemasResource, func() { c.concurrently(a) })
			require.NoError(t, a.keeper().EnsureOnce(t.Context()))
			require.Equal(t, c.wantStored, a.stored(schemasResource, "obsolete") != nil)
			require.Equal(t, c.wantWrites, a.requests())
		})
	}
}

func TestBuiltInObjectChangesConcurrently(t *testing.T) {
	changed := func(a *api, annotation string) *flowcontrolv1.FlowSchema {
		schema := withAutoUpdate(a.schema("probes"), annotation)
		schema.Spec.MatchingPrecedence = 77
		schema.Generation = 2
		return schema
	}
	for _, c := range []struct {
		name           string
		before         func(*api)
		verb           string
		concurrently   func(*api)
		wantPrecedence int32
		wantRequests   []string
	}{
		{"is kept after a conflict if a user has taken it over",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.put(changed(a, "false")) },
			77, []string{"update flowschemas probes", "get flowschemas probes"}},
		{"is restored after a conflict if the server still owns it",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.put(changed(a, "true")) },
			2, []string{"update flowschemas probes", "get flowschemas probes", "update flowschemas probes"}},
		{"is created if it was deleted before the update",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.drop(schemasResource, "probes") },
			2, []string{"update flowschemas probes", "get flowschemas probes", "create flowschemas probes"}},
		{"is kept if another server created it first",
			func(a *api) { a.drop(schemasResource, "probes") }, "create",
			func(a *api) { a.put(library.SuggestedFlowSchemaProbes.DeepCopy()) },
			2, []string{"create flowschemas probes", "get flowschemas probes"}},
		{"is kept if a user created it first",
			func(a *api) { a.drop(schemasResource, "probes") }, "create",
			func(a *api) {
				a.put(withAutoUpdate(newSchema("probes", flowcontrolv1.PriorityLevelConfigurationNameExempt, 77), "false"))
			},
			77, []string{"create flowschemas probes", "get flowschemas probes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := filled(t)
			c.before(a)
			a.before(c.verb, schemasResource, func() { c.concurrently(a) })
			require.NoError(t, a.keeper().EnsureOnce(t.Context()))
			require.Equal(t, c.wantPrecedence, a.schema("probes").Spec.MatchingPrecedence)
			require.Equal(t, c.wantRequests, a.requests())
		})
	}
}

func TestConflictsAreBounded(t *testing.T) {
	a := filled(t)
	schema := a.schema("probes")
	schema.Spec.MatchingPrecedence = 77
	a.put(schema)
	a.fail("update", schemasResource, "probes", func() error { return conflict(schemasResource, "probes") })

	err := a.keeper().EnsureOnce(t.Context())
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.ErrorContains(t, err, `FlowSchema "probes": conflict on each of 4 attempts`)
	require.Len(t, a.requests("update"), maxAttempts)
	require.Len(t, a.requests("get"), maxAttempts-1)
}
