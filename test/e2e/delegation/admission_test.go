package delegation

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// policy refuses schemas of some names that come before the 200th place.
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: not-too-early}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [flowcontrol.apiserver.k8s.io], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [flowschemas]}
  validations:
  - {expression: "!object.metadata.name.startsWith('policy') || object.spec.matchingPrecedence >= 200", message: places before 200 are the administrators' own}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: not-too-early}
spec: {policyName: not-too-early, validationActions: [Deny]}
`

// testAdmission writes objects that a policy and webhooks of the cluster change
// or refuse, through the aggregator and past it.
func testAdmission(t *testing.T, s *site) {
	changing := s.startWebhook(func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		patch := admissionv1.PatchTypeJSONPatch
		return &admissionv1.AdmissionResponse{Allowed: true, PatchType: &patch,
			Patch: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"example.com/by": "webhook"}}]`)}
	})
	refusing := s.startWebhook(func(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: request.Name != "refused", Result: &metav1.Status{Message: "not this one"}}
	})
	s.mutating(t, "changing", changing)
	s.validating(t, "refusing", refusing)
	s.kubectl.RunInput(t, policy, "apply", "-f", "-")
	s.awaitWebhook(t, changing)
	s.awaitWebhook(t, refusing)
	for _, pod := range s.Servers(t, 3) {
		eventually(t, "the policy takes effect in "+pod.Name(), func() bool {
			reply := send(t, way{"directly", s.Direct(t, pod)}.as(s.admin(t)), http.MethodPost, basePath+"/flowschemas?dryRun=All", schema("policy-early", 100))
			return reply.code == http.StatusUnprocessableEntity
		})
	}

	for i, way := range s.ways(t) {
		t.Run(way.name, func(t *testing.T) {
			write := func(query, name string, precedence int) answer {
				return send(t, way.as(s.admin(t)), http.MethodPost, basePath+"/flowschemas"+query, schema(name, precedence))
			}
			name := []string{"changed-aggregated", "changed-direct"}[i]
			for _, query := range []string{"?dryRun=All", ""} {
				reply := write(query, name, 500)
				require.Equal(t, http.StatusCreated, reply.code, reply.body)
				require.Contains(t, reply.body, `"example.com/by":"webhook"`)
				require.Equal(t, query != "", *changing.about(name).DryRun, "webhooks are told of a dry run")

				reply = write(query, "refused", 500)
				require.Equal(t, http.StatusBadRequest, reply.code, reply.body)
				require.Contains(t, reply.body, "not this one")
			}
			refused := write("?dryRun=All", "policy-early", 100)
			require.Equal(t, http.StatusUnprocessableEntity, refused.code, refused.body)
			require.Contains(t, refused.body, "places before 200 are the administrators' own")
			require.Equal(t, http.StatusCreated, write("?dryRun=All", "policy-late", 200).code)
		})
	}
}

// testAdmissionFlags asks servers of their own about what the policy and the
// webhooks of testAdmission refuse and change.
func testAdmissionFlags(t *testing.T, s *site) {
	const off, on = "--disable-admission-plugins=", "--enable-admission-plugins="
	for _, test := range []struct {
		name           string
		flags          []string
		early, refused int
		changes        bool
	}{
		{"policies are off", []string{off + "ValidatingAdmissionPolicy"}, http.StatusCreated, http.StatusBadRequest, true},
		{"policies are on, webhooks off", []string{on + "ValidatingAdmissionPolicy", off + "MutatingAdmissionWebhook,ValidatingAdmissionWebhook"},
			http.StatusUnprocessableEntity, http.StatusCreated, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := harness.LaunchServer(t, harness.ServerOptions{Args: append(test.flags, "--kubeconfig="+s.KubeAPIServer.Kubeconfig)})
			directly := way{"directly", &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}}
			eventually(t, "the server is ready", func() bool {
				reply, err := trySend(t.Context(), directly.config, http.MethodGet, "/readyz", "")
				return err == nil && reply.code == http.StatusOK
			})
			write := func(name string, precedence int) answer {
				return send(t, directly.as(s.admin(t)), http.MethodPost, basePath+"/flowschemas?dryRun=All", schema(name, precedence))
			}
			eventually(t, "what is on takes effect", func() bool {
				return write("policy-early", 100).code == test.early && write("refused", 500).code == test.refused
			})
			require.Equal(t, test.changes, strings.Contains(write("changed", 500).body, `"example.com/by":"webhook"`))
		})
	}
}
