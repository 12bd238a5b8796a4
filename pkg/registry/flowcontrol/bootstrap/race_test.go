package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

func TestLeftovers(t *testing.T) {
	terminating := saying(newSchema("terminating", "system", 100), "true")
	terminating.DeletionTimestamp, terminating.Finalizers = &metav1.Time{}, []string{"example.com/wait"}

	a := kept(t)
	for _, object := range []metav1.Object{
		saying(newSchema("obsolete", "obsolete", 100), "true"),
		saying(newLevel("obsolete", 5), "true"),
		saying(newSchema("claimed", "system", 100), "false"),
		saying(newSchema("nonsense", "system", 100), "perhaps"),
		saying(newSchema("own", "own", 100), "absent"),
		saying(newLevel("own", 5), "absent"),
		terminating,
	} {
		a.put(object)
	}
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))

	t.Run("are deleted, schemas before levels, and nothing else is touched", func(t *testing.T) {
		require.Equal(t, []string{"delete flowschemas obsolete", "delete prioritylevelconfigurations obsolete"}, a.requests())
		require.Nil(t, a.stored(schemasResource, "obsolete"))
		require.Nil(t, a.stored(levelsResource, "obsolete"))
	})
}

func TestALeftoverThatChangesMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name       string
		meanwhile  func(*api)
		wantStored bool
		wantWrites []string
	}{
		{"is not deleted if it has become a user's",
			func(a *api) { a.put(saying(newSchema("obsolete", "system", 200), "false")) },
			true, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
		{"is not deleted if it is another object of that name",
			func(a *api) {
				a.drop(schemasResource, "obsolete")
				a.put(saying(newSchema("obsolete", "system", 100), "absent"))
			},
			true, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
		{"is deleted as it is now if it is a leftover still",
			func(a *api) { a.put(saying(newSchema("obsolete", "system", 200), "true")) },
			false, []string{"delete flowschemas obsolete", "get flowschemas obsolete", "delete flowschemas obsolete"}},
		{"is no concern any more if another server has deleted it",
			func(a *api) { a.drop(schemasResource, "obsolete") },
			false, []string{"delete flowschemas obsolete", "get flowschemas obsolete"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kept(t)
			a.put(saying(newSchema("obsolete", "system", 100), "true"))
			a.before("delete", schemasResource, func() { c.meanwhile(a) })
			require.NoError(t, a.keeper().EnsureOnce(t.Context()))
			require.Equal(t, c.wantStored, a.stored(schemasResource, "obsolete") != nil)
			require.Equal(t, c.wantWrites, a.requests())
		})
	}
}

func TestABuiltInObjectThatChangesMeanwhile(t *testing.T) {
	changed := func(a *api, annotation string) *flowcontrolv1.FlowSchema {
		schema := saying(a.schema("probes"), annotation)
		schema.Spec.MatchingPrecedence = 77
		schema.Generation = 2
		return schema
	}
	for _, c := range []struct {
		name           string
		before         func(*api)
		verb           string
		meanwhile      func(*api)
		wantPrecedence int32
		wantRequests   []string
	}{
		{"is decided about anew after a conflict: it has become the user's",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.put(changed(a, "false")) },
			77, []string{"update flowschemas probes", "get flowschemas probes"}},
		{"is decided about anew after a conflict: it is the server's still",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.put(changed(a, "true")) },
			2, []string{"update flowschemas probes", "get flowschemas probes", "update flowschemas probes"}},
		{"is created if it was deleted before the update",
			func(a *api) { a.put(changed(a, "true")) }, "update",
			func(a *api) { a.drop(schemasResource, "probes") },
			2, []string{"update flowschemas probes", "get flowschemas probes", "create flowschemas probes"}},
		{"is left alone if another server created it first",
			func(a *api) { a.drop(schemasResource, "probes") }, "create",
			func(a *api) { a.put(library.SuggestedFlowSchemaProbes.DeepCopy()) },
			2, []string{"create flowschemas probes", "get flowschemas probes"}},
		{"is decided about anew if a user created it first",
			func(a *api) { a.drop(schemasResource, "probes") }, "create",
			func(a *api) { a.put(saying(newSchema("probes", "exempt", 77), "false")) },
			77, []string{"create flowschemas probes", "get flowschemas probes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kept(t)
			c.before(a)
			a.before(c.verb, schemasResource, func() { c.meanwhile(a) })
			require.NoError(t, a.keeper().EnsureOnce(t.Context()))
			require.Equal(t, c.wantPrecedence, a.schema("probes").Spec.MatchingPrecedence)
			require.Equal(t, c.wantRequests, a.requests())
		})
	}
}

func TestAFightForOneObjectEnds(t *testing.T) {
	a := kept(t)
	schema := a.schema("probes")
	schema.Spec.MatchingPrecedence = 77
	a.put(schema)
	a.fail("update", schemasResource, "probes", func() error { return conflict(schemasResource, "probes") })

	err := a.keeper().EnsureOnce(t.Context())
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.ErrorContains(t, err, `FlowSchema "probes": others changed it each of the 4 times`)
	require.Len(t, a.requests("update"), attempts)
	require.Len(t, a.requests("get"), attempts-1)
}
