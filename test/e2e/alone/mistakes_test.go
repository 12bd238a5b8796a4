package alone

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// testMistakes sends requests whose mistakes are the client's. None is answered with an
// error of the server, which clients would retry, and none is stored.
func testMistakes(t *testing.T, s *live) {
	const yaml = "Content-Type: application/yaml"
	schemas := v1Path + "/flowschemas"
	large := objects.SchemaOf("mistake", "catch-all")
	large.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects:         []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: strings.Repeat("x", 5<<19)}}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/x"}}},
	}}
	aliases := "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: mistake}\na: &a " + strings.Repeat("x", 100<<10) + "\nb: [" + strings.Repeat("*a, ", 5000) + "*a]\n"
	for _, test := range []struct {
		name, method, path, body, header string
		code                             int
		says                             string
	}{
		{"a watch with continue", http.MethodGet, schemas + "?watch=1&continue=abc", "", "", 422, "is forbidden when continue is provided"},
		{"an object larger than etcd accepts", http.MethodPost, schemas, toJSON(t, large), "", 413, "make the object smaller"},
		{"aliases for 500 MB", http.MethodPost, schemas, aliases, yaml, 400, "with its aliases expanded, the YAML body has more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var headers []string
			if test.header != "" {
				headers = append(headers, test.header)
			}
			answer := s.do(t, test.method, test.path, test.body, headers...)
			assert.Equal(t, test.code, answer.Code, answer.Body)
			assert.Contains(t, answer.Status(t).Message, test.says)
		})
	}
	assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodGet, schemas+"/mistake", "").Code)
}
