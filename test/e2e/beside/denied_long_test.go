//go:build long

package beside

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// TestABuiltInObjectThatAWebhookDenies deletes a built-in object whose creation a webhook
// denies. All replicas get unready after three passes, at most three minutes later, and ready
// once the object exists again.
func TestABuiltInObjectThatAWebhookDenies(t *testing.T) {
	const name, check = "probes", "/readyz/flowcontrol-bootstrap"
	s := startSite(t)
	denying := s.startWebhook(func(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: request.Operation != admissionv1.Create || request.Name != name, Result: &metav1.Status{Message: "no probes here"}}
	})
	s.validating(t, "denying", denying)
	s.awaitWebhook(t, denying)
	pods := s.Servers(t, replicas)
	s.kubectl.Run(t, "delete", "flowschemas.v1."+group, name)
	for _, pod := range pods {
		directly := s.to(t, pod).as(s.admin(t))
		eventually.Holds(t, pod.Name()+" is not ready", func(a *eventually.Attempt) {
			reply := send(a, directly, http.MethodGet, check, "")
			require.Equal(a, http.StatusInternalServerError, reply.Code)
			require.Contains(a, reply.Body, "FlowSchema "+name)
			require.Contains(a, reply.Body, "no probes here")
		})
		require.Equal(t, http.StatusOK, send(t, directly, http.MethodGet, "/livez", "").Code, "a restart would not help")
	}
	s.waitUnavailable(t)

	require.NoError(t, s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(t.Context(), "denying", metav1.DeleteOptions{}))
	for _, pod := range pods {
		directly := s.to(t, pod).as(s.admin(t))
		eventually.Holds(t, pod.Name()+" is ready", func(a *eventually.Attempt) {
			require.Equal(a, http.StatusOK, send(a, directly, http.MethodGet, check, "").Code)
		})
	}
	s.serves(t, objectsPath+"/"+name)
}
