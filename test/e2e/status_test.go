package e2e

import (
	"net/http"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func testStatusSeparation(c apiCase) {
	t, s := c.t, c.site
	condition := flowcontrolv1.PriorityLevelConfigurationCondition{Type: "Tested", Status: flowcontrolv1.ConditionTrue, Reason: "Because"}

	level := newLevel("separate", 5)
	level.Status.Conditions = []flowcontrolv1.PriorityLevelConfigurationCondition{condition}
	created, err := s.levels().Create(t.Context(), level, metav1.CreateOptions{FieldManager: "creator"})
	require.NoError(t, err)
	require.Empty(t, created.Status.Conditions, "a creation has no status")
	require.Empty(t, owners(t, created.ManagedFields, "f:status"))

	// A write of the status writes nothing else.
	toStatus := created.DeepCopy()
	toStatus.Labels = map[string]string{"from": "status"}
	toStatus.Spec.Limited.NominalConcurrencyShares = new(int32(99))
	toStatus.Status.Conditions = []flowcontrolv1.PriorityLevelConfigurationCondition{condition}
	written, err := s.levels().UpdateStatus(t.Context(), toStatus, metav1.UpdateOptions{FieldManager: "reporter"})
	require.NoError(t, err)
	require.Equal(t, created.Spec, written.Spec)
	require.Empty(t, written.Labels)
	require.EqualValues(t, 1, written.Generation)
	require.Len(t, written.Status.Conditions, 1)
	require.Equal(t, []string{"reporter Update status"}, owners(t, written.ManagedFields, "f:status", "f:conditions"))
	require.Equal(t, []string{"creator Update"}, owners(t, written.ManagedFields, sharesPath()...))
	require.Empty(t, owners(t, written.ManagedFields, "f:metadata", "f:labels"))

	// A write of the whole leaves the status.
	toSpec := written.DeepCopy()
	toSpec.Spec.Limited.NominalConcurrencyShares = new(int32(6))
	toSpec.Status = flowcontrolv1.PriorityLevelConfigurationStatus{}
	updated, err := s.levels().Update(t.Context(), toSpec, metav1.UpdateOptions{FieldManager: "editor"})
	require.NoError(t, err)
	require.Equal(t, written.Status, updated.Status)
	require.EqualValues(t, 2, updated.Generation)
	require.Equal(t, []string{"reporter Update status"}, owners(t, updated.ManagedFields, "f:status", "f:conditions"))
	require.Equal(t, []string{"editor Update"}, owners(t, updated.ManagedFields, sharesPath()...))

	// So for apply, in both directions: what is reset is not owned either.
	const path, contentType = v1Path + "/prioritylevelconfigurations/separate", "Content-Type: application/apply-patch+yaml"
	both := `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
		"spec": {"limited": {"lendablePercent": 50}}, "status": {"conditions": [{"type": "Applied", "status": "True"}]}}`
	answer := s.do(t, http.MethodPatch, path+"?fieldManager=whole&force=true", both, contentType)
	require.Equal(t, http.StatusOK, answer.code, answer.body)
	var applied flowcontrolv1.PriorityLevelConfiguration
	answer.decode(t, &applied)
	require.Equal(t, written.Status, applied.Status)
	require.EqualValues(t, 50, *applied.Spec.Limited.LendablePercent)
	require.NotContains(t, owners(t, applied.ManagedFields, "f:status"), "whole Apply")

	answer = s.do(t, http.MethodPatch, path+"/status?fieldManager=part&force=true", both, contentType)
	require.Equal(t, http.StatusOK, answer.code, answer.body)
	answer.decode(t, &applied)
	require.Len(t, applied.Status.Conditions, 2)
	require.EqualValues(t, 3, applied.Generation)
	require.NotContains(t, owners(t, applied.ManagedFields, "f:spec"), "part Apply status")
	require.Equal(t, []string{"part Apply status"}, owners(t, applied.ManagedFields, "f:status", "f:conditions", `k:{"type":"Applied"}`))

	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, path+"/status", "").code)
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		require.Equal(t, http.StatusMethodNotAllowed, s.do(t, method, path+"/status", "{}").code, method)
	}
	absent := s.do(t, http.MethodPut, v1Path+"/prioritylevelconfigurations/absent/status", toJSON(t, newLevel("absent", 1)))
	require.Equal(t, http.StatusNotFound, absent.code, "a status creates nothing")
	absent.status(t)
}

func testGeneration(c apiCase) {
	t, s := c.t, c.site
	schema := newSchema("counted", "catch-all")
	schema.Generation = 41
	require.EqualValues(t, 1, s.createSchema(t, schema).Generation, "it is the server that counts")

	require.EqualValues(t, 2, s.setPrecedence(t, "counted", 501).Generation)
	same := s.setPrecedence(t, "counted", 501)
	require.EqualValues(t, 2, same.Generation)
	labelled := s.patchSchema(t, "counted", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}, "generation": 7}})
	require.EqualValues(t, 2, labelled.Generation, "labels are not the spec")
	require.EqualValues(t, 3, s.setPrecedence(t, "counted", 500).Generation)

	// An update that changes nothing writes nothing.
	level := s.createLevel(t, newLevel("counted", 1))
	unchanged, err := s.levels().Update(t.Context(), level, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, level.ResourceVersion, unchanged.ResourceVersion)
}
