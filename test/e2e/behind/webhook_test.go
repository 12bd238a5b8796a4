package behind

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// webhook is an admission webhook on the loopback. It records the last request
// about each object. The function decide computes the answers.
type webhook struct {
	client admissionregistrationv1.WebhookClientConfig
	decide func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse

	mu   sync.Mutex // guards last
	last map[string]*admissionv1.AdmissionRequest
}

// ownLabel marks the webhook configurations of the tests.
const ownLabel = "test"

// startWebhook starts a webhook that ends with the site: its configurations
// outlive their test in the caches of the servers.
func (s *besideSite) startWebhook(decide func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) *webhook {
	t := s.owner
	t.Helper()
	authority := harness.NewCA(t, "webhook-ca")
	pair := authority.Server(t, "webhook")
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	w := &webhook{decide: decide, last: map[string]*admissionv1.AdmissionRequest{}}
	web := httptest.NewUnstartedServer(w)
	web.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	web.StartTLS()
	t.Cleanup(web.Close)
	bundle, err := os.ReadFile(authority.CertFile)
	require.NoError(t, err)
	w.client = admissionregistrationv1.WebhookClientConfig{URL: &web.URL, CABundle: bundle}
	return w
}

// ServeHTTP answers a review.
func (w *webhook) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.last[review.Request.Name] = review.Request
	w.mu.Unlock()
	review.Response = w.decide(review.Request)
	review.Response.UID = review.Request.UID
	writeJSON(writer, review)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// about returns the last request about an object, nil if there was none.
func (w *webhook) about(name string) *admissionv1.AdmissionRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last[name]
}

func allow(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Allowed: true}
}

// register registers the webhook in kube-apiserver for writes of schemas, in any version. The kind is
// ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
func (s *besideSite) register(t *testing.T, kind, name string, w *webhook) {
	t.Helper()
	client, err := json.Marshal(w.client)
	require.NoError(t, err)
	s.kubectl.RunInput(t, fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": %q, "metadata": {"name": %q, "labels": {%q: ""}},
		"webhooks": [{"name": "%[2]s.example.com", "clientConfig": %[4]s, "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": [
			{"operations": ["CREATE", "UPDATE"], "apiGroups": [%[5]q], "apiVersions": ["*"], "resources": ["flowschemas"]}]}]}`,
		kind, name, ownLabel, client, group), "create", "-f", "-")
}
