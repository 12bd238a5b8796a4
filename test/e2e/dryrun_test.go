package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testDryRun dry-runs each verb that writes. The revision of the store, the events
// of watchers and the enforced configuration must not change.
func testDryRun(t *testing.T, s *live) {
	s.removeAfter(t, "dry")
	s.createSchema(t, newSchema("dry", "catch-all"))
	finalized := newSchema("dry-finalized", "catch-all")
	finalized.Finalizers = []string{"example.org/keep"}
	s.createSchema(t, finalized)
	defer s.patchSchema(t, "dry-finalized", map[string]any{"metadata": map[string]any{"finalizers": nil}})
	s.settle(t)
	all, err := s.schemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	watcher := s.watchSchemas(t, metav1.ListOptions{ResourceVersion: all.ResourceVersion})
	before := s.revision(t)

	const apply = "Content-Type: application/apply-patch+yaml"
	changed := newSchema("dry", "absent")
	manifest := `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "dry"}, "spec": {"matchingPrecedence": 9}}`
	for _, test := range []struct {
		name, method, path, body, header string
		code                             int
		says                             string
	}{
		{"create", http.MethodPost, "", toJSON(t, newSchema("dry-new", "catch-all")), "", 201, `"uid":"`},
		{"create with a generated name", http.MethodPost, "", `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"generateName": "dry-"}, "spec": {"priorityLevelConfiguration": {"name": "catch-all"}}}`, "", 201, `"matchingPrecedence":1000`},
		{"create of what is invalid", http.MethodPost, "", toJSON(t, newSchema("dry-new", "")), "", 422, "priorityLevelConfiguration"},
		{"create of what exists", http.MethodPost, "", toJSON(t, changed), "", 409, "AlreadyExists"},
		{"update", http.MethodPut, "/dry", toJSON(t, changed), "", 200, `"generation":2`},
		{"update of an old version", http.MethodPut, "/dry", `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "dry", "resourceVersion": "1"}, "spec": {"priorityLevelConfiguration": {"name": "catch-all"}}}`, "", 409, "Conflict"},
		{"update of the status", http.MethodPut, "/dry/status", toJSON(t, changed), "", 200, `"generation":1`},
		{"patch", http.MethodPatch, "/dry", `{"spec": {"matchingPrecedence": 9}}`, "Content-Type: application/merge-patch+json", 200, `"matchingPrecedence":9`},
		{"JSON patch", http.MethodPatch, "/dry", `[{"op": "remove", "path": "/spec/distinguisherMethod"}]`, "Content-Type: application/json-patch+json", 200, `"generation":2`},
		{"apply with a conflict", http.MethodPatch, "/dry", manifest, apply, 409, ".spec.matchingPrecedence"},
		{"apply by force", http.MethodPatch, "/dry?force=true", manifest, apply, 200, `"matchingPrecedence":9`},
		{"apply of what is new", http.MethodPatch, "/dry-new", `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "dry-new"}, "spec": {"priorityLevelConfiguration": {"name": "catch-all"}}}`, apply, 201, `"dry-new"`},
		{"delete", http.MethodDelete, "/dry", "", "", 200, `"Success"`},
		{"delete with a finalizer", http.MethodDelete, "/dry-finalized", "", "", 200, `"deletionTimestamp"`},
		{"delete of what is absent", http.MethodDelete, "/dry-new", "", "", 404, "NotFound"},
		{"delete of a collection", http.MethodDelete, "", "", "", 200, `"FlowSchemaList"`},
	} {
		target, err := url.Parse(v1Path + "/flowschemas" + test.path)
		require.NoError(t, err)
		query := target.Query()
		query.Set("dryRun", "All")
		if test.method != http.MethodDelete {
			query.Set("fieldManager", "dry")
		}
		target.RawQuery = query.Encode()
		var headers []string
		if test.header != "" {
			headers = append(headers, test.header)
		}
		answer := s.do(t, test.method, target.String(), test.body, headers...)
		require.Equal(t, test.code, answer.code, "%s: %s", test.name, answer.body)
		require.Contains(t, answer.body, test.says, test.name)
		require.Equal(t, before, s.revision(t), "%s has written something", test.name)
	}

	// A real write caused the first event.
	earnest := s.patchSchema(t, "dry", map[string]any{"metadata": map[string]any{"labels": map[string]any{"now": "real"}}})
	require.Equal(t, earnest.ResourceVersion, version(next(t, watcher)))
	require.Equal(t, before+1, s.revision(t))
	require.Equal(t, flowcontrolv1.ConditionFalse, dangling(earnest).Status)
	require.EqualValues(t, 1, earnest.Generation)
}
