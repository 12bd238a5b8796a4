package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// policy rejects schemas of some names with a matchingPrecedence below 200.
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

// testAdmission writes objects that a policy and webhooks of the cluster change or
// reject, through the aggregator and directly.
func testAdmission(t *testing.T, s *besideSite) {
	changing := s.startWebhook(func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		patch := admissionv1.PatchTypeJSONPatch
		return &admissionv1.AdmissionResponse{Allowed: true, PatchType: &patch,
			Patch: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"example.com/by": "webhook"}}]`)}
	})
	rejecting := s.startWebhook(func(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: request.Name != "rejected", Result: &metav1.Status{Message: "not this one"}}
	})
	s.register(t, "MutatingWebhookConfiguration", "changing", changing)
	s.register(t, "ValidatingWebhookConfiguration", "rejecting", rejecting)
	s.kubectl.RunInput(t, policy, "apply", "-f", "-")
	s.awaitWebhook(t, changing)
	s.awaitWebhook(t, rejecting)
	for _, pod := range s.Servers(t, replicas) {
		directly := s.to(t, pod).as(s.admin(t))
		eventually.Holds(t, "the policy takes effect in "+pod.Name(), func(a *eventually.Attempt) {
			reply := send(a, directly, http.MethodPost, objectsPath+"?dryRun=All", flowSchema("policy-early", 100))
			require.Equal(a, http.StatusUnprocessableEntity, reply.Code, reply.Body)
		})
	}

	for i, way := range s.ways(t) {
		t.Run(way.name, func(t *testing.T) {
			write := func(query, name string, precedence int) harness.Reply {
				return send(t, way.as(s.admin(t)), http.MethodPost, objectsPath+query, flowSchema(name, precedence))
			}
			name := []string{"changed-aggregated", "changed-direct"}[i]
			for _, query := range []string{"?dryRun=All", ""} {
				reply := write(query, name, 500)
				require.Equal(t, http.StatusCreated, reply.Code, reply.Body)
				require.Contains(t, reply.Body, `"example.com/by":"webhook"`)
				require.Equal(t, query != "", *changing.about(name).DryRun, "webhooks are told of a dry run")

				reply = write(query, "rejected", 500)
				require.Equal(t, http.StatusBadRequest, reply.Code, reply.Body)
				require.Contains(t, reply.Body, "not this one")
			}
			rejected := write("?dryRun=All", "policy-early", 100)
			require.Equal(t, http.StatusUnprocessableEntity, rejected.Code, rejected.Body)
			require.Contains(t, rejected.Body, "places before 200 are the administrators' own")
			require.Equal(t, http.StatusCreated, write("?dryRun=All", "policy-late", 200).Code)
		})
	}
}
