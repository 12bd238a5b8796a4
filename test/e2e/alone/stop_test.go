package alone

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// testStop stops the server during a request and a watch. If the watch delayed the
// stop, it would do so for half an hour.
func testStop(t *testing.T, g *live) {
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL+v1Path+"/flowschemas?watch=true", nil)
	require.NoError(t, err)
	// The watch uses a separate connection, as another client would.
	client, err := rest.HTTPClientFor(g.Config(t))
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	events := bufio.NewScanner(response.Body)
	require.True(t, events.Scan(), "%v", events.Err())
	held := g.hold(t, "stopping")

	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.waitNotReady(t)
	select {
	case <-g.Process.Done():
		t.Fatal("the server did not wait for the request")
	default:
	}
	g.gate.open(t)
	answer := received(t, "the answer", held)
	require.Equal(t, http.StatusNotFound, answer.Code, answer.Body)
	answer.Status(t)
	for events.Scan() {
	}
	require.NoError(t, events.Err(), "the watch was cut off")
	g.requireExit(t, 0)
}

// waitNotReady waits until the server reports that it is not ready or rejects
// connections.
func (s *site) waitNotReady(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "the server is not ready", func(a *eventually.Attempt) {
		answer, err := harness.Send(a.Context(), anonymousClient(), http.MethodGet, s.URL+"/readyz", "")
		if !errors.Is(err, syscall.ECONNREFUSED) {
			require.NoError(a, err)
			require.Equal(a, http.StatusInternalServerError, answer.Code)
		}
	})
}

func (s *site) requireExit(t *testing.T, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	got, err := s.Process.ExitCode(ctx)
	require.NoError(t, err)
	require.Equal(t, code, got, s.Process.Output())
}

// TestStopServesOnForADelayAndASecondSignalEndsIt checks that a stopping server
// serves requests during the delay but is not ready, so that load balancers can
// remove it. The second signal ends it at once, without waiting for the delay or
// for running requests.
func TestStopServesOnForADelayAndASecondSignalEndsIt(t *testing.T) {
	t.Parallel()
	g := startLive(t, nil, "--shutdown-delay-duration=1h")
	held := g.hold(t, "stopping")
	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.waitReadiness(t, http.StatusInternalServerError, "[-]shutdown failed")
	require.Equal(t, http.StatusOK, g.do(t, http.MethodGet, "/livez", "").Code)
	require.Equal(t, http.StatusOK, g.do(t, http.MethodGet, v1Path+"/flowschemas", "").Code)

	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.requireExit(t, 1)
	require.Zero(t, received(t, "the end of the request", held).Code, "the request was cut off")
}
