package kubectl

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// get returns the response of a server whose objects exist.
func get(t *testing.T, uri, accept string) string {
	t.Helper()
	s, err := newServer(discovery.BuiltIn())
	require.NoError(t, err)
	defer s.close()
	s.begin(world{exist: true, end: func() {}})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url()+uri, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// TestAWatchMayBeginWithAList: a client that asks for initial events waits for their end.
func TestAWatchMayBeginWithAList(t *testing.T) {
	decoder := json.NewDecoder(strings.NewReader(get(t, pods+"?watch=true&sendInitialEvents=true&fieldSelector=metadata.name%3Dweb", "*/*")))
	var events []string
	for decoder.More() {
		var event struct {
			Type   string
			Object metav1.PartialObjectMetadata
		}
		require.NoError(t, decoder.Decode(&event))
		events = append(events, event.Type+" "+event.Object.Name+event.Object.Annotations[metav1.InitialEventsAnnotationKey])
	}
	assert.Equal(t, []string{"ADDED web", "BOOKMARK true"}, events)
}

func TestDiscoveryIsInTheFormThatIsAskedFor(t *testing.T) {
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=%;as=APIGroupDiscoveryList,application/json"
	for _, version := range []string{"v2", "v2beta1"} {
		text := get(t, "/apis", strings.ReplaceAll(aggregated, "%", version))
		assert.Contains(t, text, `"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/`+version+`"`)
		assert.Contains(t, text, `"resource":"deployments"`)
	}
	var groups metav1.APIGroupList
	require.NoError(t, json.Unmarshal([]byte(get(t, "/apis", "application/json")), &groups))
	for _, group := range groups.Groups {
		if group.Name == "autoscaling" {
			assert.Equal(t, "autoscaling/v2", group.PreferredVersion.GroupVersion)
			assert.Len(t, group.Versions, 2)
		}
	}
	assert.Contains(t, get(t, "/api", "application/json"), `"versions":["v1"]`)
	assert.Contains(t, get(t, "/apis/apps/v1", "application/json"), `"name":"deployments/scale"`)
}
