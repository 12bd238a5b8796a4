package e2e

import (
	"bufio"
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestStopLetsRequestsUnderWayFinish asks the server to stop while a request and
// a watch are under way.
func TestStopLetsRequestsUnderWayFinish(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, etcd *harness.Etcd) {
		g := startGoverned(t, etcd)
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
		held := g.hold(t, "tenant", "hold-1")

		begin := time.Now()
		require.NoError(t, g.Process.Signal(syscall.SIGTERM))
		eventually(t, "the server is not ready", func(ctx context.Context) (bool, error) {
			answer, err := trySend(ctx, anonymousClient(), http.MethodGet, g.URL+"/readyz", "")
			return err != nil || answer.code == http.StatusInternalServerError, nil
		})
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
	s := startSite(t, nil, "--shutdown-delay-duration=3s")
	begin := time.Now()
	require.NoError(t, s.Process.Signal(syscall.SIGTERM))
	s.health(t, "/readyz", http.StatusInternalServerError)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/flowschemas", "").code)
	s.requireExit(t, 0)
	require.GreaterOrEqual(t, time.Since(begin), 3*time.Second)
}

// TestSecondSignalEndsAtOnce does not wait for what is under way.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, nil)
	held := g.hold(t, "tenant", "hold-1")
	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	eventually(t, "the server is not ready", func(ctx context.Context) (bool, error) {
		answer, err := trySend(ctx, anonymousClient(), http.MethodGet, g.URL+"/readyz", "")
		return err != nil || answer.code == http.StatusInternalServerError, nil
	})
	require.NoError(t, g.Process.Signal(syscall.SIGTERM))
	g.requireExit(t, 1)
	require.Zero(t, answered(t, held).code, "the request was cut off")
}
