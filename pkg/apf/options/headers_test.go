package options

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAResponseNamesNoUIDsOfObjectsThatHaveNone(t *testing.T) {
	const schemaHeader, levelHeader = "X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID"
	path := filepath.Join(t.TempDir(), "shut-out.yaml")
	write(t, path, manifest("shut-out")+`---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: none}
spec: {type: Limited, limited: {nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: runaway}
spec:
  matchingPrecedence: 1
  priorityLevelConfiguration: {name: none}
  rules:
  - subjects: [{kind: User, user: {name: runaway}}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
`)
	bodies := map[string]http.HandlerFunc{
		"a body":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("done")) },
		"a status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		"a flush":  func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() },
	}
	for name, handler := range bodies {
		t.Run(name, func(t *testing.T) {
			o := NewOptions()
			o.ConfigPath = path
			s, f := server(t, o, handler)
			listener := httptest.NewServer(s.Handler)
			defer listener.Close()
			ask := func(user string) *http.Response {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listener.URL+"/work", http.NoBody)
				require.NoError(t, err)
				request.Header.Set(userHeader, user)
				response, err := listener.Client().Do(request)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				return response
			}
			for user, status := range map[string]int{"alice": http.StatusOK, "runaway": http.StatusTooManyRequests} {
				response := ask(user) //nolint:bodyclose // ask closes it
				assert.Equal(t, status, response.StatusCode)
				assert.NotContains(t, response.Header, http.CanonicalHeaderKey(schemaHeader), user)
				assert.NotContains(t, response.Header, http.CanonicalHeaderKey(levelHeader), user)
			}

			levels, schemas := BuiltIn()
			for i := range schemas {
				schemas[i] = schemas[i].DeepCopy()
				schemas[i].UID = "uid-of-a-schema"
			}
			require.Empty(t, f.Apply(levels, schemas))
			assert.Equal(t, "uid-of-a-schema", ask("alice").Header.Get(schemaHeader), "an object of the cluster has one") //nolint:bodyclose // ask closes it
		})
	}
}
