package conformance

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	schemaHeader = "X-Kubernetes-Pf-Flowschema-Uid"
	levelHeader  = "X-Kubernetes-Pf-Prioritylevel-Uid"
)

// TestFlowControlHeadersAreThoseOfKubeAPIServer asks both servers with flow
// control on: each answer says which schema and which level took the request, by
// uids that are the same in both stores.
func TestFlowControlHeadersAreThoseOfKubeAPIServer(t *testing.T) {
	p := startPair(t, "--enable-priority-and-fairness=true")
	// kube-apiserver may be ready a moment before its flow control has read the store.
	require.NoError(t, wait.PollUntilContextTimeout(t.Context(), pollInterval, grace, true, func(ctx context.Context) (bool, error) {
		response, err := p.peer.open(ctx, http.MethodGet, v1Path+"flowschemas/exempt", "", nil)
		if err != nil {
			return false, err
		}
		return response.Header.Get(schemaHeader) != "" && response.Header.Get(levelHeader) != "", response.Body.Close()
	}))
	for _, test := range []struct {
		name, method, path string
		code               int
	}{
		{"a list", http.MethodGet, v1Path + "flowschemas", http.StatusOK},
		{"a read", http.MethodGet, v1Path + "flowschemas/exempt", http.StatusOK},
		{"what is not there", http.MethodGet, v1Path + "flowschemas/absent", http.StatusNotFound},
		{"a deletion that is tried", http.MethodDelete, v1Path + "flowschemas/absent?dryRun=All", http.StatusNotFound},
		{"a watch", http.MethodGet, v1Path + "flowschemas?watch=true&timeoutSeconds=1", http.StatusOK},
		{"discovery", http.MethodGet, groupPath + "/v1", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			var schemas, levels [2]string
			for i, s := range p.sides() {
				response, err := s.open(t.Context(), test.method, test.path, "", nil)
				require.NoError(t, err, s.name)
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, err, s.name)
				require.NoError(t, response.Body.Close())
				require.Equal(t, test.code, response.StatusCode, s.name)
				schemas[i], levels[i] = response.Header.Get(schemaHeader), response.Header.Get(levelHeader)
			}
			require.NotEmpty(t, schemas[1])
			require.Equal(t, schemas[1], schemas[0])
			require.Equal(t, levels[1], levels[0])
		})
	}
}
