package options

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const schemaHeader, levelHeader = "X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID"

// asked returns the response of a handler behind a real server.
func asked(t *testing.T, handler http.Handler, user string) *http.Response {
	t.Helper()
	listener := httptest.NewServer(handler)
	defer listener.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listener.URL+"/work", http.NoBody)
	require.NoError(t, err)
	request.Header.Set(userHeader, user)
	response, err := listener.Client().Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}

func TestAResponseHasNoUIDsOfObjectsThatHaveNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shut-out.yaml")
	write(t, path, manifest("everybody")+`---
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
	o := NewOptions()
	o.ConfigPath = path
	s, f := server(t, o, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("done")) }))
	for user, status := range map[string]int{"alice": http.StatusOK, "runaway": http.StatusTooManyRequests} {
		response := asked(t, s.Handler, user) //nolint:bodyclose // asked closes it
		assert.Equal(t, status, response.StatusCode)
		assert.Empty(t, response.Header.Values(schemaHeader), user)
		assert.Empty(t, response.Header.Values(levelHeader), user)
	}

	levels, schemas := BuiltIn()
	for i := range schemas {
		schemas[i] = schemas[i].DeepCopy()
		schemas[i].UID = "uid-of-a-schema"
	}
	require.Empty(t, f.Apply(levels, schemas))
	response := asked(t, s.Handler, "alice") //nolint:bodyclose // asked closes it
	assert.Equal(t, []string{"uid-of-a-schema"}, response.Header.Values(schemaHeader), "an object of a cluster has one")
	assert.Empty(t, response.Header.Values(levelHeader))
}
