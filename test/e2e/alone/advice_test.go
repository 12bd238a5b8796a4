package alone

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const missingLevel = "FC101 (info)"

// adviceOf returns the warnings of a reply, without those about a deprecated
// version.
func adviceOf(r harness.Reply) []string {
	var said []string
	for _, warning := range r.Warnings() {
		if !strings.Contains(warning, "is deprecated") {
			said = append(said, warning)
		}
	}
	return said
}

// requireAdvice requires exactly these warnings.
func requireAdvice(t *testing.T, answer harness.Reply, want ...string) {
	t.Helper()
	require.Less(t, answer.Code, 300, "a warning never rejects: %s", answer.Body)
	require.Len(t, adviceOf(answer), len(want), adviceOf(answer))
	for i, sentence := range adviceOf(answer) {
		require.True(t, strings.HasPrefix(sentence, `299 - "`+want[i]+": "), sentence)
	}
}

func testAdviceByVerb(t *testing.T, s *live) {
	for _, version := range []string{"v1", "v1beta3"} {
		name := "dangling-" + version
		path := groupPath + "/" + version + "/flowschemas"
		object := func(precedence int32, labels map[string]string) string {
			schema := objects.SchemaOf(name, "absent")
			schema.APIVersion = "flowcontrol.apiserver.k8s.io/" + version
			schema.Spec.MatchingPrecedence = precedence
			schema.Labels = labels
			return toJSON(t, schema)
		}
		labels := map[string]string{"a": "b"}
		spec := func(precedence int) string {
			return fmt.Sprintf(`{"apiVersion": "flowcontrol.apiserver.k8s.io/%s", "kind": "FlowSchema", "spec": {"matchingPrecedence": %d}}`, version, precedence)
		}
		const merge, apply = "Content-Type: application/merge-patch+json", "Content-Type: application/apply-patch+yaml"
		const label, status = `{"metadata": {"labels": {"a": "c"}}}`, `{"status": {"conditions": [{"type": "Tested", "status": "True"}]}}`
		for _, step := range []struct {
			name, method, path, body, contentType string
			advice                                []string
		}{
			{"dry create", http.MethodPost, "?dryRun=All", object(501, nil), "", nil},
			{"create", http.MethodPost, "", object(501, nil), "", nil},
			{"update of nothing", http.MethodPut, "/" + name, object(501, nil), "", []string{missingLevel}},
			{"update of labels", http.MethodPut, "/" + name, object(501, labels), "", []string{missingLevel}},
			{"dry update", http.MethodPut, "/" + name + "?dryRun=All", object(502, labels), "", []string{missingLevel}},
			{"update", http.MethodPut, "/" + name, object(502, labels), "", []string{missingLevel}},
			{"patch", http.MethodPatch, "/" + name, spec(503), merge, []string{missingLevel}},
			{"patch of labels", http.MethodPatch, "/" + name, label, merge, []string{missingLevel}},
			{"update of the status", http.MethodPut, "/" + name + "/status", object(504, nil), "", nil},
			{"patch of the status", http.MethodPatch, "/" + name + "/status", status, merge, nil},
			{"apply", http.MethodPatch, "/" + name + "?fieldManager=m&force=true", spec(505), apply, []string{missingLevel}},
			{"apply of the same", http.MethodPatch, "/" + name + "?fieldManager=m&force=true", spec(505), apply, []string{missingLevel}},
			{"level that exists", http.MethodPatch, "/" + name, `{"spec": {"priorityLevelConfiguration": {"name": "workload-low"}}}`, merge, nil},
			{"delete", http.MethodDelete, "/" + name, "", "", nil},
			{"apply of what is new", http.MethodPatch, "/" + name + "?fieldManager=m", object(506, nil), apply, nil},
			{"apply again", http.MethodPatch, "/" + name + "?fieldManager=m&dryRun=All", object(506, nil), apply, []string{missingLevel}},
		} {
			t.Run(step.name+" in "+version, func(t *testing.T) {
				var headers []string
				if step.contentType != "" {
					headers = append(headers, step.contentType)
				}
				requireAdvice(t, s.do(t, step.method, path+step.path, step.body, headers...), step.advice...)
			})
		}
		stored, err := s.schemas().Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 506, stored.Spec.MatchingPrecedence, "what is warned of is stored")
	}
}
