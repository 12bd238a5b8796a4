package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func testFieldValidation(c apiCase) {
	t, s := c.t, c.site
	text := strings.Replace(toJSON(t, newLevel("strict", 1)), `"type":"Limited"`, `"type":"Limited","unheard":1,"type":"Limited"`, 1)
	for _, test := range []struct {
		name, query string
		code        int
		warnings    int
	}{
		{"ignored", "&fieldValidation=Ignore", http.StatusCreated, 0},
		{"warned of", "&fieldValidation=Warn", http.StatusCreated, 2},
		{"warned of by default", "", http.StatusCreated, 2},
		{"refused", "&fieldValidation=Strict", http.StatusBadRequest, 0},
		{"validated in a way that does not exist", "&fieldValidation=Some", http.StatusUnprocessableEntity, 0},
	} {
		answer := s.do(t, http.MethodPost, v1Path+"/prioritylevelconfigurations?dryRun=All"+test.query, text)
		require.Equal(t, test.code, answer.code, "%s: %s", test.name, answer.body)
		require.Len(t, answer.warnings(), test.warnings, test.name)
		said := strings.Join(append(slices.Clone(answer.warnings()), answer.body), "\n")
		if test.warnings > 0 || test.code == http.StatusBadRequest {
			require.Contains(t, said, `unknown field`)
			require.Contains(t, said, `spec.unheard`)
			require.Contains(t, said, `duplicate field`)
		}
	}
	for _, body := range []struct{ contentType, text string }{
		{"application/merge-patch+json", `{"spec": {"unheard": 1}}`},
		{"application/json-patch+json", `[{"op": "add", "path": "/spec/unheard", "value": 1}]`},
		{"application/strategic-merge-patch+json", `{"spec": {"unheard": 1}}`},
		{"application/apply-patch+yaml", `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "spec": {"unheard": 1}}`},
	} {
		answer := s.do(t, http.MethodPatch, v1Path+"/prioritylevelconfigurations/exempt?dryRun=All&fieldManager=m&fieldValidation=Strict", body.text, "Content-Type: "+body.contentType)
		require.GreaterOrEqual(t, answer.code, 400, body.contentType)
		require.Less(t, answer.code, 500, answer.body)
		require.Contains(t, answer.status(t).Message, "unheard")
	}
}

// testMalformedBodies sends what no client should. Whatever it is, the answer is
// a Status below 500, and nothing is stored.
func testMalformedBodies(c apiCase) {
	t, s := c.t, c.site
	const (
		asJSON     = "application/json"
		asYAML     = "application/yaml"
		asProtobuf = "application/vnd.kubernetes.protobuf"
	)
	good := newLevel("malformed", 1)
	text, binary := toJSON(t, good), toProtobuf(t, good)
	inSpec := func(value string) string { return strings.Replace(text, `"spec":{`, `"spec":{`+value+`,`, 1) }
	for _, test := range []struct{ name, contentType, body string }{
		{"JSON that is empty", asJSON, ""},
		{"JSON that is cut off", asJSON, text[:len(text)/2]},
		{"JSON with a tail", asJSON, text + "}"},
		{"JSON that is a number", asJSON, "1"},
		{"JSON that is null", asJSON, "null"},
		{"JSON that is a list", asJSON, "[" + text + "]"},
		{"JSON of no kind", asJSON, `{"metadata": {"name": "malformed"}}`},
		{"JSON of another kind", asJSON, strings.Replace(text, "PriorityLevelConfiguration", "FlowSchema", 1)},
		{"JSON of a kind nobody knows", asJSON, strings.Replace(text, "PriorityLevelConfiguration", "Poem", 1)},
		{"JSON of a version nobody knows", asJSON, strings.Replace(text, "k8s.io/v1", "k8s.io/v9", 1)},
		{"JSON of another version that is served", asJSON, strings.Replace(text, "k8s.io/v1", "k8s.io/v1beta3", 1)},
		{"JSON with a number for a name", asJSON, strings.Replace(text, `"malformed"`, "7", 1)},
		{"JSON with a huge number", asJSON, strings.Replace(text, `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":1e400`, 1)},
		{"JSON with a number of many digits", asJSON, strings.Replace(text, `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":`+strings.Repeat("9", 100_000), 1)},
		{"JSON with a number past 32 bits", asJSON, strings.Replace(text, `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":4294967297`, 1)},
		{"JSON with a fraction", asJSON, strings.Replace(text, `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":1.5`, 1)},
		{"JSON of great depth", asJSON, inSpec(`"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000))},
		{"JSON of great depth that is cut off", asJSON, strings.Repeat(`{"a":`, 100_000)},
		{"JSON with a broken text", asJSON, strings.Replace(text, "malformed", "\xff\xfe", 1)},
		{"JSON with a lone half of a character", asJSON, strings.Replace(text, "malformed", `\ud800`, 1)},
		{"YAML that is cut off", asYAML, "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: {"},
		{"YAML with tabs", asYAML, "apiVersion:\tx\n\tkind: y"},
		{"YAML of great depth", asYAML, strings.Repeat("[", 50_000)},
		{"YAML that grows as it is read", asYAML, growingYAML()},
		{"YAML that is a list", asYAML, "- a\n- b\n"},
		{"YAML with a key that is a map", asYAML, "{a: b}: c\n"},
		{"protobuf that is empty", asProtobuf, ""},
		{"protobuf of its mark alone", asProtobuf, "k8s\x00"},
		{"protobuf without its mark", asProtobuf, binary[4:]},
		{"protobuf of another mark", asProtobuf, "abc\x00" + binary[4:]},
		{"protobuf that is cut off", asProtobuf, binary[:len(binary)*2/3]},
		{"protobuf of wrong lengths", asProtobuf, binary[:40] + strings.Repeat("\xff", 40) + binary[40:]},
		{"protobuf of a group without end", asProtobuf, "k8s\x00" + strings.Repeat("\x0b", 100_000)},
		{"protobuf that is JSON", asProtobuf, text},
		{"JSON that is protobuf", asJSON, binary},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, request := range []struct{ method, path string }{
				{http.MethodPost, "/prioritylevelconfigurations"},
				{http.MethodPut, "/prioritylevelconfigurations/malformed"},
				{http.MethodPut, "/prioritylevelconfigurations/malformed/status"},
			} {
				answer := s.do(t, request.method, v1Path+request.path, test.body, "Content-Type: "+test.contentType)
				require.GreaterOrEqual(t, answer.code, 400, answer.body)
				require.Less(t, answer.code, 500, answer.body)
				require.NotEmpty(t, answer.status(t).Message)
			}
		})
	}
	_, err := s.levels().Get(t.Context(), "malformed", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
}

// growingYAML is small, and its aliases make it a million times as large.
func growingYAML() string {
	var text strings.Builder
	text.WriteString("a0: &a0 x\n")
	for level := 1; level < 9; level++ {
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", level, level, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", level-1), 10), ", "))
	}
	return text.String()
}

func testMisplacedObjects(c apiCase) {
	t, s := c.t, c.site
	s.createLevel(t, newLevel("placed", 1))
	for _, test := range []struct {
		name, method, path, body string
		code                     int
	}{
		{"name in URL and body differ", http.MethodPut, "/prioritylevelconfigurations/placed", toJSON(t, newLevel("other", 1)), http.StatusBadRequest},
		{"path with a namespace", http.MethodGet, "/namespaces/default/flowschemas", "", http.StatusNotFound},
		{"resource that does not exist", http.MethodGet, "/poems", "", http.StatusNotFound},
		{"subresource that does not exist", http.MethodGet, "/flowschemas/catch-all/scale", "", http.StatusNotFound},
		{"method without a name", http.MethodPut, "/flowschemas", toJSON(t, newSchema("a", "catch-all")), http.StatusMethodNotAllowed},
		{"method with a name", http.MethodPost, "/flowschemas/a", toJSON(t, newSchema("a", "catch-all")), http.StatusMethodNotAllowed},
		{"dry run of another kind", http.MethodDelete, "/prioritylevelconfigurations/placed?dryRun=Some", "", http.StatusBadRequest},
		{"limit that is no number", http.MethodGet, "/flowschemas?limit=many", "", http.StatusBadRequest},
		{"field manager that is too long", http.MethodPut, "/prioritylevelconfigurations/placed?fieldManager=" + strings.Repeat("m", 129), toJSON(t, newLevel("placed", 1)), http.StatusUnprocessableEntity},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := s.do(t, test.method, v1Path+test.path, test.body)
			require.Equal(t, test.code, answer.code, answer.body)
		})
	}

	invalid := newSchema("placed", "")
	invalid.Spec.MatchingPrecedence = 20_000
	answer := s.do(t, http.MethodPost, v1Path+"/flowschemas", toJSON(t, invalid))
	require.Equal(t, http.StatusUnprocessableEntity, answer.code)
	var fields []string
	for _, cause := range answer.status(t).Details.Causes {
		fields = append(fields, cause.Field)
	}
	require.ElementsMatch(t, []string{"spec.matchingPrecedence", "spec.priorityLevelConfiguration.name"}, fields)
}
