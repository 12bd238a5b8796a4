//go:build long

package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// TestABuiltInObjectThatAWebhookDenies deletes two built-in objects, one whose creation a webhook
// denies. The replicas say it, stay ready, also when they start, and restore the other one:
// kube-apiserver gives up at the first.
func TestABuiltInObjectThatAWebhookDenies(t *testing.T) {
	const denied, mandatory = "probes", "catch-all"
	s := startSite(t)
	denying := s.startWebhook(func(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: request.Operation != admissionv1.Create || request.Name != denied, Result: &metav1.Status{Message: "no probes here"}}
	})
	s.validating(t, "denying", denying)
	s.awaitWebhook(t, denying)
	pods := s.Servers(t, replicas)
	s.kubectl.Run(t, "delete", "flowschemas.v1."+group, denied, mandatory)
	for _, pod := range pods {
		directly := s.to(t, pod).as(s.admin(t))
		s.waitLacks(t, directly, denied)
		requireEnsured(t, directly, map[string]float64{denied: 0, mandatory: 1})
	}
	eventually.Holds(t, "an Event says it", func(a *eventually.Attempt) {
		events, err := s.Client.CoreV1().Events("default").List(a.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + denied + ",reason=NotEnsured"})
		require.NoError(a, err)
		require.NotEmpty(a, events.Items)
		require.Contains(a, events.Items[0].Message, "no probes here")
	})

	pods[0].Process().Kill(t)
	eventually.Holds(t, "a replica that starts is ready", func(a *eventually.Attempt) {
		require.Positive(a, pods[0].Restarts())
		require.True(a, pods[0].Ready())
	})
	s.waitLacks(t, s.to(t, pods[0]).as(s.admin(t)), denied)
	s.serves(t, objectsPath+"/"+mandatory)

	require.NoError(t, s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(t.Context(), "denying", metav1.DeleteOptions{}))
	s.serves(t, objectsPath+"/"+denied)
	for _, pod := range pods {
		directly := s.to(t, pod).as(s.admin(t))
		eventually.Holds(t, pod.Name()+" has nothing to say", func(a *eventually.Attempt) {
			require.Contains(a, send(a, directly, http.MethodGet, "/readyz?verbose", "").Body, "[+]flowcontrol-bootstrap ok\n")
		})
		requireEnsured(t, directly, map[string]float64{denied: 1, mandatory: 1})
	}
}

// waitLacks waits until a ready server says that it lacks a FlowSchema.
func (s *besideSite) waitLacks(t *testing.T, server *rest.Config, name string) {
	t.Helper()
	eventually.Holds(t, server.Host+" says that it lacks "+name, func(a *eventually.Attempt) {
		reply := send(a, server, http.MethodGet, "/readyz?verbose", "")
		require.Equal(a, http.StatusOK, reply.Code, reply.Body)
		require.Contains(a, reply.Body, "[+]flowcontrol-bootstrap ok, but: built-in objects not ensured: FlowSchema "+name+"; the log says why\n")
	})
}

// requireEnsured requires what a server's metric says about FlowSchemas.
func requireEnsured(t *testing.T, server *rest.Config, want map[string]float64) {
	t.Helper()
	const family = "flowcontrol_apiserver_built_in_object_ensured"
	eventually.Holds(t, "the metric says it", func(a *eventually.Attempt) {
		values, err := scrape.Parse(send(a, server, http.MethodGet, "/metrics", "").Body, family)
		require.NoError(a, err)
		for name, value := range want {
			require.Equal(a, value, values.Sum(family, `kind="FlowSchema"`, `name="`+name+`"`), name)
		}
	})
}
