package command

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/dashboard"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestWebServesAPageUntilItIsInterrupted(t *testing.T) {
	server := newAPIServer(t)
	const requests = "/debug/api_priority_and_fairness/dump_requests"
	server.responses[requests] = server.responses[requests].(string) + "workload-low, service-accounts, 3, -1, other, 2026-05-06T07:08:06Z, 1, 0, 0s, 2026-05-06T07:08:07Z, other, list, /api/v1/pods, , , v1, pods, \n"
	out, stop := server.start(t, "top", "--web", "--interval=5s", "--limit=1")
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w{26}/`).FindString(out.String())
	require.NotEmpty(t, address, out.String())
	assert.Contains(t, string(get(t, address)), "<title>Seats")

	state := stateAt(t, address)
	assert.Equal(t, server.URL, state.Name)
	require.Len(t, state.Readings, 1)
	require.Equal(t, "workload-low", state.Levels.Levels[0].Name)
	assert.Equal(t, []int{3, 245}, []int{*state.Levels.Levels[0].SeatsInUse, *state.Levels.Levels[0].CurrentLimit})
	require.Len(t, state.Flows.Flows, 1)
	assert.Equal(t, "robot", state.Flows.Flows[0].Distinguisher)

	out.clock.Step(5 * time.Second)
	eventually.Holds(t, "it reads again", func(a *eventually.Attempt) {
		state = stateAt(a, address)
		require.Len(a, state.Readings, 2)
	})
	assert.Equal(t, new(0.4), state.Readings[1].Levels[0].RejectedPerSecond, "2 more in 5 seconds")

	stop()
	assert.Zero(t, <-out.ended, "Ctrl-C is no error")
	assert.NotContains(t, out.String(), "error")
}

// waiter is a test, or an attempt of one.
type waiter interface {
	require.TestingT
	Context() context.Context
}

func get(t waiter, address string) []byte {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return body
}

func stateAt(t waiter, address string) dashboard.State {
	var state dashboard.State
	require.NoError(t, json.Unmarshal(get(t, address+"state"), &state))
	return state
}

func TestWebWithFlagsThatMeanAnotherOutput(t *testing.T) {
	invoke(t, []invocation{
		{"a view", []string{"flows"}, statusFailed, []string{`error: --web shows levels and flows on one page: leave out "flows"`}},
		{"again and again", []string{"--watch"}, statusFailed, []string{"error: --web cannot be combined with --watch, --output or --sort: the page refreshes itself, and sorts by the column that you choose there"}},
		{"a format", []string{"-o", "json"}, statusFailed, []string{"error: --web cannot be combined with --watch, --output or --sort"}},
		{"saved answers", []string{"--dumps=."}, statusFailed, []string{"error: --web shows what a cluster does now: it cannot be combined with --dumps or --offline"}},
		{"no interval", []string{"--interval=0"}, statusFailed, []string{"error: --interval is 0s: must be more than 0 with --web"}},
		{"a port that is none", []string{"--port=70000"}, statusFailed, []string{"error: --port is 70000: must be from 0 to 65535"}},
	}, "top", "--web")
	invoke(t, []invocation{{"a port alone", []string{"--port=8080"}, statusFailed, []string{"error: --port is the port of --web: give both, or none"}}}, "top")
}

func TestWebOnAPortThatIsTaken(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	_, port, found := strings.Cut(taken.URL, "127.0.0.1:")
	require.True(t, found, taken.URL)
	got := newAPIServer(t).run(t, "top", "--web", "--port="+port)
	assert.Equal(t, statusFailed, got.status)
	assert.Contains(t, got.errOut, "address already in use; without --port, a free one is chosen")
}

func TestWebWithoutACluster(t *testing.T) {
	server := newAPIServer(t)
	server.Close()
	got := server.run(t, "top", "--web")
	assert.Equal(t, statusFailed, got.status)
	assert.Empty(t, got.out, "it serves nothing")
	assert.Contains(t, got.errOut, "connection refused")
}
