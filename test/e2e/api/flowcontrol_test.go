//go:build long

package api

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const (
	schemaHeader = "X-Kubernetes-Pf-Flowschema-Uid"
	levelHeader  = "X-Kubernetes-Pf-Prioritylevel-Uid"
)

// TestFlowControlHeadersAreThoseOfKubeAPIServer enables flow control on both
// servers. The headers of each answer name the uids of the schema and the level,
// which are the same in both stores.
func TestFlowControlHeadersAreThoseOfKubeAPIServer(t *testing.T) {
	p := startPair(t, "--enable-priority-and-fairness=true")
	// kube-apiserver may become ready before its flow control has read the store.
	eventually.Holds(t, "the flow control of kube-apiserver governs", func(a *eventually.Attempt) {
		response, err := p.peer.open(a.Context(), http.MethodGet, v1Path+"flowschemas/exempt", "", nil)
		require.NoError(a, err)
		require.NoError(a, response.Body.Close())
		require.NotEmpty(a, response.Header.Get(schemaHeader))
		require.NotEmpty(a, response.Header.Get(levelHeader))
	})
	for _, test := range []struct {
		name string
		step
	}{
		{"a list", get("flowschemas")},
		{"a read", get("flowschemas/exempt")},
		{"what is not there", get("flowschemas/absent").gives(http.StatusNotFound)},
		{"a deletion that is tried", remove("flowschemas/absent?dryRun=All", "").gives(http.StatusNotFound)},
		{"a watch", get("flowschemas?watch=true&timeoutSeconds=1")},
		{"discovery", get(groupPath + "/v1")},
		{"a self-review", post(authenticationPath+"/selfsubjectreviews", "{}")},
		{"an invalid self-review", post(authorizationPath+"/selfsubjectaccessreviews", "{}").gives(http.StatusUnprocessableEntity)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var schemas, levels [2]string
			for i, s := range p.sides() {
				response, err := s.open(t.Context(), test.method, test.path, test.body, test.headers)
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
