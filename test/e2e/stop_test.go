package e2e

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// TestStopLetsRequestsUnderWayFinish asks the server to stop while a request and
// a watch are under way.
func TestStopLetsRequestsUnderWayFinish(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := startGoverned(t, startStore(t))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+v1Path+"/flowschemas?watch=true", nil)
			require.NoError(t, err)
			// A connection of its own, as another client has.
			client, err := rest.HTTPClientFor(g.Config(t))
			require.NoError(t, err)
			response, err := client.Do(request)
			require.NoError(t, err)
			defer func() { _ = response.Body.Close() }()
			events := bufio.NewScanner(response.Body)
			require.True(t, events.Scan(), "%v", events.Err())
			held := g.hold(t)

			begin := time.Now()
			require.NoError(t, g.Process.Signal(syscall.SIGTERM))
			g.waitNotReady(t)
			select {
			case <-g.Process.Done():
				t.Fatal("the server did not wait for the request")
			default:
			}
			g.gate.open(t)
			answer := answered(t, held)
			require.Equal(t, http.StatusNotFound, answer.code, answer.body)
			answer.status(t)
			for events.Scan() {
			}
			require.NoError(t, events.Err(), "the watch was cut off")
			g.requireExit(t, 0)
			require.Less(t, time.Since(begin), 30*time.Second, "the watch held the stop up")
		})
	}
}

// waitNotReady waits until the server says that it is not ready, or hears nobody.
func (s *site) waitNotReady(t *testing.T) {
	t.Helper()
	eventually(t, "the server is not ready", func(ctx context.Context) (bool, error) {
		answer, err := trySend(ctx, anonymousClient(), http.MethodGet, s.URL+"/readyz", "")
		return errors.Is(err, syscall.ECONNREFUSED) || answer.code == http.StatusInternalServerError, nil
	})
}

func (s *site) requireExit(t *testing.T, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	got, err := s.Process.ExitCode(ctx)
	require.NoError(t, err)
	require.Equal(t, code, got, s.Process.Output())
}

// TestStopWithADelay serves on for a while, not ready, so that load balancers
// have the time to look elsewhere.
func TestStopWithADelay(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil, "--shutdown-delay-duration=10s")
	begin := time.Now()
	require.NoError(t, s.Process.Signal(syscall.SIGTERM))
	s.waitReadiness(t, http.StatusInternalServerError, "[-]shutdown failed")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/flowschemas", "").code)
	s.requireExit(t, 0)
	require.GreaterOrEqual(t, time.Since(begin), 10*time.Second)
}

// TestSecondSignalEndsAtOnce does not wait for what is under way.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, nil)
	held := g.hold(t)
	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.waitNotReady(t)
	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.requireExit(t, 1)
	require.Zero(t, answered(t, held).code, "the request was cut off")
}
