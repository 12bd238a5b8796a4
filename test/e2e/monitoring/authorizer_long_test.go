//go:build long

package monitoring

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// allowAll starts an authorization webhook that allows everything, so that users need not be
// of system:masters, which flow control exempts. It returns the flags of a server that uses it.
func allowAll(t *testing.T) []string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var review authorizationv1.SubjectAccessReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // the client may have disconnected
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "webhook.yaml")
	write(t, file, "apiVersion: v1\nkind: Config\nclusters:\n- {name: webhook, cluster: {server: '"+server.URL+"'}}\n"+
		"users: [{name: server}]\ncontexts:\n- {name: webhook, context: {cluster: webhook, user: server}}\ncurrent-context: webhook\n")
	return []string{"--authorization-webhook-config-file=" + file, "--authorization-webhook-version=v1"}
}
