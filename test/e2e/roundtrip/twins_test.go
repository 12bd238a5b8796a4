package roundtrip

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// twins is a v1beta3 schema with a repeated verb.
const twins = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3","kind":"FlowSchema","metadata":{"name":"twins"},"spec":{"priorityLevelConfiguration":{"name":"exempt"},
	"rules":[{"subjects":[{"kind":"User","user":{"name":"a"}}],"nonResourceRules":[{"verbs":["get","get"],"nonResourceURLs":["/"]}]}]}}`

// TestApplyInAnotherVersionToASetWithTwinsIsInvalid: validation accepts a set with
// a repeated item, but the comparison of two versions of it fails. The answer must
// be 422, not 500.
func TestApplyInAnotherVersionToASetWithTwinsIsInvalid(t *testing.T) {
	// The engine's condition would remove the duplicate, as any update does.
	options := harness.ServerOptions{Args: []string{"--enable-priority-and-fairness=false"}}
	server := newClient(t, "this server", harness.StartServer(t, options).Config(t))
	_, err := server.must(t.Context(), http.MethodPost, groupPath+"/v1beta3/flowschemas", runtime.ContentTypeJSON, []byte(twins))
	require.NoError(t, err)

	const label = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"twins","labels":{"a":"b"}}}`
	code, answer, err := server.patch(t.Context(), groupPath+"/v1/flowschemas/twins?fieldManager=me", string(types.ApplyPatchType), []byte(label))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, code, "%s", answer)
	require.Contains(t, string(answer), "duplicate entries")
}

// TestASetWithTwinsKeepsItsCondition: the engine writes the status of an object with twins,
// although apply fails.
func TestASetWithTwinsKeepsItsCondition(t *testing.T) {
	server := newClient(t, "this server", harness.StartServer(t, harness.ServerOptions{}).Config(t))
	_, err := server.must(t.Context(), http.MethodPost, groupPath+"/v1beta3/flowschemas", runtime.ContentTypeJSON, []byte(twins))
	require.NoError(t, err)
	eventually.Holds(t, "the object says that it does not dangle", func(a *eventually.Attempt) {
		object, err := server.must(a.Context(), http.MethodGet, groupPath+"/v1/flowschemas/twins", runtime.ContentTypeJSON, nil)
		require.NoError(a, err)
		require.Contains(a, string(object), `"type":"Dangling","status":"False"`)
	})
}
