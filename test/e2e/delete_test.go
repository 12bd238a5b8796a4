package e2e

import (
	"net/http"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func testFinalizer(c apiCase) {
	t, s := c.t, c.site
	schema := newSchema("finalized", "catch-all")
	schema.Finalizers = []string{"example.org/one", "example.org/two"}
	schema = s.createSchema(t, schema)
	require.NoError(t, s.schemas().Delete(t.Context(), schema.Name, metav1.DeleteOptions{}))
	waiting, err := s.schemas().Get(t.Context(), schema.Name, metav1.GetOptions{})
	require.NoError(t, err)
	require.NotNil(t, waiting.DeletionTimestamp)
	require.EqualValues(t, 0, *waiting.DeletionGracePeriodSeconds)

	add := s.do(t, http.MethodPatch, v1Path+"/flowschemas/finalized", `[{"op": "add", "path": "/metadata/finalizers/-", "value": "example.org/three"}]`, "Content-Type: application/json-patch+json")
	require.Equal(t, http.StatusUnprocessableEntity, add.code, "what is being deleted gets no new finalizer")
	require.Contains(t, add.status(t).Message, "finalizers")

	require.NoError(t, s.schemas().Delete(t.Context(), schema.Name, metav1.DeleteOptions{}), "deleted again, it still waits")
	s.patchSchema(t, schema.Name, map[string]any{"metadata": map[string]any{"finalizers": []string{"example.org/two"}}})
	_, err = s.schemas().Get(t.Context(), schema.Name, metav1.GetOptions{})
	require.NoError(t, err)
	s.patchSchema(t, schema.Name, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	_, err = s.schemas().Get(t.Context(), schema.Name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	for policy, finalizer := range map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
		metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
	} {
		level := s.createLevel(t, newLevel("propagated-"+finalizer[:6], 1))
		require.NoError(t, s.levels().Delete(t.Context(), level.Name, metav1.DeleteOptions{PropagationPolicy: &policy}))
		// There is no garbage collector here: what it would do next is done by hand.
		level, err := s.levels().Get(t.Context(), level.Name, metav1.GetOptions{})
		require.NoError(t, err, policy)
		require.Equal(t, []string{finalizer}, level.Finalizers)
		level.Finalizers = nil
		_, err = s.levels().Update(t.Context(), level, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	for _, query := range []string{"", "?propagationPolicy=Background"} {
		level := s.createLevel(t, newLevel("propagated-plainly", 1))
		answer := s.do(t, http.MethodDelete, v1Path+"/prioritylevelconfigurations/"+level.Name+query, "")
		require.Equal(t, http.StatusOK, answer.code, answer.body)
		_, err := s.levels().Get(t.Context(), level.Name, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	}
}

func testDeleteCollection(c apiCase) {
	t, s := c.t, c.site
	s.createLabelled(t, "collected", 3)
	s.createLabelled(t, "spared", 1)
	err := s.schemas().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "set=collected", FieldSelector: "metadata.name!=collected-1"})
	require.NoError(t, err)
	list, err := s.schemas().List(t.Context(), metav1.ListOptions{LabelSelector: "set in (collected, spared)"})
	require.NoError(t, err)
	require.Equal(t, []string{"collected-1", "spared-0"}, names(list))

	answer := s.do(t, http.MethodDelete, v1Path+"/flowschemas?labelSelector=set%3Dcollected", "")
	require.Equal(t, http.StatusOK, answer.code)
	var deleted metav1.PartialObjectMetadataList
	answer.decode(t, &deleted)
	require.Equal(t, "FlowSchemaList", deleted.Kind)
	require.Len(t, deleted.Items, 1, "the answer shows what is gone")
}

func testDeletePreconditions(c apiCase) {
	t, s := c.t, c.site
	level := s.createLevel(t, newLevel("conditional", 1))
	for name, preconditions := range map[string]metav1.Preconditions{
		"the uid of another":    {UID: new(types.UID("other"))},
		"another version":       {ResourceVersion: new("1")},
		"its uid, not version":  {UID: &level.UID, ResourceVersion: new("1")},
		"its version, not uid":  {UID: new(types.UID("other")), ResourceVersion: &level.ResourceVersion},
		"the version of a list": {ResourceVersion: new("0")},
	} {
		err := s.levels().Delete(t.Context(), level.Name, metav1.DeleteOptions{Preconditions: &preconditions})
		require.True(t, apierrors.IsConflict(err), "%s: %v", name, err)
	}
	require.NoError(t, s.levels().Delete(t.Context(), level.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &level.UID, ResourceVersion: &level.ResourceVersion},
	}))
	require.True(t, apierrors.IsNotFound(s.levels().Delete(t.Context(), level.Name, metav1.DeleteOptions{})))
}

func testUpdateConflicts(c apiCase) {
	t, s := c.t, c.site
	old := s.createLevel(t, newLevel("updated", 1))
	changed := old.DeepCopy()
	changed.Spec.Limited.NominalConcurrencyShares = new(int32(2))
	_, err := s.levels().Update(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)

	stale := old.DeepCopy()
	stale.Spec.Limited.NominalConcurrencyShares = new(int32(3))
	_, err = s.levels().Update(t.Context(), stale, metav1.UpdateOptions{})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	stale.ResourceVersion = ""
	unconditional, err := s.levels().Update(t.Context(), stale, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, *unconditional.Spec.Limited.NominalConcurrencyShares)

	stale.UID = "other"
	_, err = s.levels().Update(t.Context(), stale, metav1.UpdateOptions{})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	_, err = s.levels().Update(t.Context(), newLevel("absent", 1), metav1.UpdateOptions{})
	require.True(t, apierrors.IsNotFound(err), "a PUT creates nothing: %v", err)
}

func testNames(c apiCase) {
	t, s := c.t, c.site
	level := newLevel("", 1)
	level.GenerateName = "generated-"
	first, second := s.createLevel(t, level), s.createLevel(t, level)
	require.Regexp(t, "^generated-[a-z0-9]{5}$", first.Name)
	require.NotEqual(t, first.Name, second.Name)

	_, err := s.levels().Create(t.Context(), newLevel(first.Name, 1), metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	_, err = s.levels().Create(t.Context(), newLevel("", 1), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	born := newLevel("born", 1)
	born.ResourceVersion = "1"
	_, err = s.levels().Create(t.Context(), born, metav1.CreateOptions{})
	require.ErrorContains(t, err, "resourceVersion")

	// Deleted and made again, it is another object.
	require.NoError(t, s.levels().Delete(t.Context(), first.Name, metav1.DeleteOptions{}))
	again := s.createLevel(t, newLevel(first.Name, 1))
	require.NotEqual(t, first.UID, again.UID)
}
