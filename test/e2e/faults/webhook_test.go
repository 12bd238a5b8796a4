package faults

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// webhook is an authorization webhook that answers as it is told.
type webhook struct {
	answer atomic.Pointer[http.HandlerFunc]
}

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*h.answer.Load())(w, r) }

func (h *webhook) answers(f http.HandlerFunc) { h.answer.Store(&f) }

// kubeconfig starts the webhook and returns its file.
func (h *webhook) kubeconfig(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return fileOf(t, "webhook.yaml", "apiVersion: v1\nkind: Config\nclusters: [{name: hook, cluster: {server: '"+server.URL+
		"'}}]\ncontexts: [{name: hook, context: {cluster: hook, user: hook}}]\nusers: [{name: hook}]\ncurrent-context: hook\n")
}

// allow allows a request, with the text after the status.
func allow(rest string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","status":{"allowed":true%s`, rest)
	}
}

// TestAWebhookThatFails asks a webhook for permission that does not answer as it should.
func TestAWebhookThatFails(t *testing.T) {
	t.Parallel()
	hook := &webhook{}
	hook.answers(allow("}}"))
	process, s := startServer(t, harness.ServerOptions{Args: []string{
		"--authorization-webhook-config-file=" + hook.kubeconfig(t), "--authorization-webhook-version=v1",
		"--authorization-webhook-cache-authorized-ttl=1ms", "--authorization-webhook-cache-unauthorized-ttl=1ms",
	}})
	goroutines := s.goroutines(t)
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"half an answer", allow("")},
		{"an answer of another kind", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[{"kind":7}]`)) }},
		{"a huge number", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"status":%0100000d}`, 0)
		}},
		{"an error", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			hook.answers(test.answer)
			client := s.newWorker(t)
			for i := range repetitions / 10 {
				answer, err := s.ask(t.Context(), client, fmt.Sprintf("%s/name-%d?timeout=1s", schemasPath, i))
				if err == nil { // at its deadline an answer may be cut off
					require.GreaterOrEqual(t, answer.Code, http.StatusForbidden, "nobody gets in: %s", answer.Body)
				}
			}
			client.CloseIdleConnections()
			hook.answers(allow("}}"))
			s.goesOn(t, goroutines)
		})
	}
	require.NotContains(t, process.Process.Output(), "Observed a panic")
}
