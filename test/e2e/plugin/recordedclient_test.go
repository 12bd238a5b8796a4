package plugin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// recordedClient sends requests as the user.
type recordedClient struct {
	*harness.APIServer
	http *http.Client
}

// newRecordedClient stores the level and the flow schema of the user.
func newRecordedClient(t *testing.T, server *harness.APIServer) *recordedClient {
	t.Helper()
	config := server.Config(t)
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	c := &recordedClient{APIServer: server}
	c.http, err = rest.HTTPClientFor(config)
	require.NoError(t, err)
	level, err := client.FlowcontrolV1().PriorityLevelConfigurations().Create(t.Context(), objects.LevelOf(recorded, 1), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.FlowcontrolV1().FlowSchemas().Create(t.Context(), objects.SchemaOf(recorded, recorded), metav1.CreateOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the level governs the user, who may do everything", func(a *eventually.Attempt) {
		reply, err := c.try(a.Context(), http.MethodGet, v1Path+"/flowschemas/"+recorded, http.NoBody)
		require.NoError(a, err)
		require.Equal(a, http.StatusOK, reply.Code)
		require.Equal(a, string(level.UID), reply.Header.Get("X-Kubernetes-PF-PriorityLevel-UID"))
	})
	return c
}

// try sends a request of the user, and returns its answer without the body.
func (c *recordedClient) try(ctx context.Context, method, path string, body io.Reader) (harness.Reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return harness.Reply{}, err
	}
	request.Header.Set(transport.ImpersonateUserHeader, recorded)
	request.Header.Set(transport.ImpersonateGroupHeader, "team")
	request.Header.Set("Content-Type", "application/yaml")
	response, err := c.http.Do(request)
	if err != nil {
		return harness.Reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return harness.Reply{Code: response.StatusCode, Header: response.Header}, err
}

// get returns the status of the answer.
func (c *recordedClient) get(t *testing.T, path string) int {
	t.Helper()
	reply, err := c.try(t.Context(), http.MethodGet, path, http.NoBody)
	require.NoError(t, err)
	return reply.Code
}

// awaitSeats waits until requests of the user have this many seats: one that was answered
// may have its seat for a moment.
func (c *recordedClient) awaitSeats(t *testing.T, count int) {
	t.Helper()
	line := fmt.Sprintf("apiserver_flowcontrol_current_executing_seats{flow_schema=%q,priority_level=%[1]q} %d\n", recorded, count)
	eventually.Holds(t, line, func(a *eventually.Attempt) {
		answer, err := harness.Send(a.Context(), c.http, http.MethodGet, c.URL+"/metrics", "")
		require.NoError(a, err)
		require.Contains(a, answer.Body, line)
	})
}

// sendAll sends one request of each kind, with a name or selector of its own. Its create
// has the only seat until the end of its body: meanwhile another request is rejected.
func (c *recordedClient) sendAll(t *testing.T) {
	t.Helper()
	for _, one := range []struct {
		path   string
		status int
	}{
		{v1Path + "/flowschemas/asked-get", http.StatusNotFound},
		{v1Path + "/flowschemas?limit=3&labelSelector=asked-list", http.StatusOK},
		{v1Path + "/flowschemas?watch=1&timeoutSeconds=1&labelSelector=asked-watch", http.StatusOK},
		{"/asked-path", http.StatusNotFound},
	} {
		c.awaitSeats(t, 0)
		require.Equal(t, one.status, c.get(t, one.path), one.path)
	}

	c.awaitSeats(t, 0)
	body, writer := io.Pipe()
	var created harness.Reply
	held := make(chan error, 1)
	go func() {
		var err error
		created, err = c.try(t.Context(), http.MethodPost, v1Path+"/prioritylevelconfigurations?fieldManager=asked-held", body)
		held <- err
	}()
	c.awaitSeats(t, 1)
	require.Equal(t, http.StatusTooManyRequests, c.get(t, v1Path+"/flowschemas/asked-rejected"))
	_, err := io.WriteString(writer, "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\n"+
		"metadata: {name: asked-held}\nspec: {type: Limited, limited: {limitResponse: {type: Reject}}}\n")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.NoError(t, <-held)
	require.Equal(t, http.StatusCreated, created.Code)
}
