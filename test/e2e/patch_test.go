package e2e

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patchSchema merges a change into a schema.
func (s *site) patchSchema(t *testing.T, name string, change any) *flowcontrolv1.FlowSchema {
	t.Helper()
	patched, err := s.schemas().Patch(t.Context(), name, types.MergePatchType, []byte(toJSON(t, change)), metav1.PatchOptions{})
	require.NoError(t, err)
	return patched
}

func testPatches(c apiCase) {
	t, s := c.t, c.site
	for _, test := range []struct {
		name  string
		kind  types.PatchType
		patch string
		sub   []string
		want  func(*testing.T, *flowcontrolv1.FlowSchema)
	}{
		{
			name: "json", kind: types.JSONPatchType,
			patch: `[{"op": "test", "path": "/spec/matchingPrecedence", "value": 500}, {"op": "replace", "path": "/spec/matchingPrecedence", "value": 501}, {"op": "add", "path": "/spec/rules/0/subjects/-", "value": {"kind": "Group", "group": {"name": "added"}}}]`,
			want: func(t *testing.T, schema *flowcontrolv1.FlowSchema) {
				t.Helper()
				require.EqualValues(t, 501, schema.Spec.MatchingPrecedence)
				require.Len(t, schema.Spec.Rules[0].Subjects, 2)
			},
		},
		{
			name: "merge", kind: types.MergePatchType,
			patch: `{"metadata": {"labels": {"a": "b"}}, "spec": {"distinguisherMethod": null}}`,
			want: func(t *testing.T, schema *flowcontrolv1.FlowSchema) {
				t.Helper()
				require.Equal(t, map[string]string{"a": "b"}, schema.Labels)
				require.Nil(t, schema.Spec.DistinguisherMethod)
			},
		},
		{
			name: "strategic", kind: types.StrategicMergePatchType, sub: []string{"status"},
			// Conditions merge by type: those that are not named stay.
			patch: `{"status": {"conditions": [{"type": "Second", "status": "True"}]}}`,
			want: func(t *testing.T, schema *flowcontrolv1.FlowSchema) {
				t.Helper()
				statuses := map[flowcontrolv1.FlowSchemaConditionType]flowcontrolv1.ConditionStatus{}
				for _, condition := range schema.Status.Conditions {
					statuses[condition.Type] = condition.Status
				}
				require.Equal(t, flowcontrolv1.ConditionFalse, statuses["First"])
				require.Equal(t, flowcontrolv1.ConditionTrue, statuses["Second"])
			},
		},
		{
			name: "apply", kind: types.ApplyPatchType,
			patch: "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {labels: {applied: \"yes\"}}\n",
			want: func(t *testing.T, schema *flowcontrolv1.FlowSchema) {
				t.Helper()
				require.Equal(t, "yes", schema.Labels["applied"])
				require.EqualValues(t, 500, schema.Spec.MatchingPrecedence)
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := "patched-" + test.name
			s.createSchema(t, newSchema(name, "catch-all"))
			if test.sub != nil {
				_, err := s.schemas().Patch(t.Context(), name, test.kind, []byte(`{"status": {"conditions": [{"type": "First", "status": "False"}]}}`), metav1.PatchOptions{}, test.sub...)
				require.NoError(t, err)
			}
			patched, err := s.schemas().Patch(t.Context(), name, test.kind, []byte(test.patch), metav1.PatchOptions{FieldManager: "patcher"}, test.sub...)
			require.NoError(t, err)
			test.want(t, patched)
			stored, err := s.schemas().Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			test.want(t, stored)
		})
	}
	t.Run("side by side", func(t *testing.T) {
		t.Parallel()
		testPatchesSideBySide(apiCase{t: t, site: s})
	})
}

// testPatchesSideBySide has patches that meet each other tried again inside the
// server: none is lost and none fails.
func testPatchesSideBySide(c apiCase) {
	t, s := c.t, c.site
	s.createSchema(t, newSchema("patched-at-once", "catch-all"))
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i, label := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			_, errs[i] = s.schemas().Patch(t.Context(), "patched-at-once", types.MergePatchType,
				[]byte(`{"metadata": {"labels": {"`+label+`": "there"}}}`), metav1.PatchOptions{})
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	schema, err := s.schemas().Get(t.Context(), "patched-at-once", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "there", "b": "there", "c": "there", "d": "there"}, schema.Labels)
}

func testBadPatches(c apiCase) {
	t, s := c.t, c.site
	s.createSchema(t, newSchema("unpatched", "catch-all"))
	const (
		jsonPatch  = "Content-Type: application/json-patch+json"
		mergePatch = "Content-Type: application/merge-patch+json"
		applyPatch = "Content-Type: application/apply-patch+yaml"
	)
	for _, test := range []struct {
		name, object, contentType, body string
		code                            int
	}{
		{"JSON Patch that is no list", "unpatched", jsonPatch, `{"op": "remove"}`, 400},
		{"JSON Patch that is cut off", "unpatched", jsonPatch, `[{"op": "remo`, 400},
		{"JSON Patch whose test fails", "unpatched", jsonPatch, `[{"op": "test", "path": "/spec/matchingPrecedence", "value": 1}]`, 422},
		{"JSON Patch of a path that does not exist", "unpatched", jsonPatch, `[{"op": "remove", "path": "/spec/nothing/here"}]`, 422},
		{"JSON Patch to an invalid object", "unpatched", jsonPatch, `[{"op": "replace", "path": "/spec/matchingPrecedence", "value": 0}, {"op": "remove", "path": "/spec/priorityLevelConfiguration"}]`, 422},
		{"merge patch that is cut off", "unpatched", mergePatch, `{"spec": {`, 400},
		{"merge patch to a field of the wrong type", "unpatched", mergePatch, `{"spec": {"matchingPrecedence": "many"}}`, 422},
		{"merge patch to another name", "unpatched", mergePatch, `{"metadata": {"name": "other"}}`, 400},
		{"merge patch of the wrong version", "unpatched", mergePatch, `{"metadata": {"resourceVersion": "1"}}`, 409},
		{"merge patch of what does not exist", "absent", mergePatch, `{}`, 404},
		{"apply without a field manager", "unpatched", applyPatch, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema"}`, 400},
		{"apply of a field that does not exist", "unpatched?fieldManager=m", applyPatch, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "spec": {"unheard": 1}}`, 400},
		{"apply of a field of the wrong type", "unpatched?fieldManager=m", applyPatch, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "spec": 7}`, 400},
		{"apply of another kind", "unpatched?fieldManager=m", applyPatch, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration"}`, 400},
		{"apply of YAML that is cut off", "unpatched?fieldManager=m", applyPatch, `{"apiVersion": "flow`, 400},
		{"apply to the status of what is no condition", "unpatched/status?fieldManager=m", applyPatch, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "status": {"conditions": 3}}`, 400},
		{"patch in a type that does not exist", "unpatched", "Content-Type: application/patch", `{}`, 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := s.do(t, http.MethodPatch, v1Path+"/flowschemas/"+test.object, test.body, test.contentType)
			require.Equal(t, test.code, answer.code, answer.body)
			require.NotEmpty(t, answer.status(t).Message)
		})
	}
}
