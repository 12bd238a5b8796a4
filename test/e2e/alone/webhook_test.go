package alone

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// holdPrefix is the name prefix of the objects whose readers are held.
const holdPrefix = "hold-"

// gate is an authorization webhook that allows everything. It holds each request
// for an object whose name starts with holdPrefix, until open releases it. A held
// request has passed flow control and keeps its seat.
type gate struct {
	// file is the path of the webhook's kubeconfig.
	file    string
	arrived chan struct{}
	release chan struct{}
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{file: filepath.Join(t.TempDir(), "webhook.yaml"), arrived: make(chan struct{}), release: make(chan struct{})}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	require.NoError(t, os.WriteFile(g.file, []byte("apiVersion: v1\nkind: Config\nclusters:\n- name: gate\n  cluster: {server: '"+server.URL+
		"'}\ncontexts:\n- name: gate\n  context: {cluster: gate, user: server}\nusers:\n- name: server\ncurrent-context: gate\n"), 0o600))
	return g
}

// flags returns the flags of a server that uses this webhook.
func (g *gate) flags() []string {
	return []string{"--authorization-webhook-config-file=" + g.file, "--authorization-webhook-version=v1"}
}

// ServeHTTP answers a review.
func (g *gate) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	if resource := review.Spec.ResourceAttributes; resource != nil && strings.HasPrefix(resource.Name, holdPrefix) {
		select {
		case g.arrived <- struct{}{}:
		case <-request.Context().Done():
			return
		}
		select {
		case <-g.release:
		case <-request.Context().Done():
			return
		}
	}
	review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	writer.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(writer).Encode(review); err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
	}
}

// open releases one held request.
func (g *gate) open(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	select {
	case g.release <- struct{}{}:
	case <-ctx.Done():
		t.Fatal("no request is held")
	}
}
