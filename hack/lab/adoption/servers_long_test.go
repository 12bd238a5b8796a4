//go:build long

package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func TestServersHaveFlowControlWithoutFurtherPermissionsAndModules(t *testing.T) {
	for _, s := range servers() {
		t.Run(s.name, func(t *testing.T) {
			require.NoError(t, harness.Own(t.Context(), func(o *harness.Owner) { testServer(t, o, s) }))
		})
	}
}

func testServer(t *testing.T, o *harness.Owner, s server) {
	m, err := s.module()
	require.NoError(t, err)
	require.NoError(t, m.build(t.Context()))
	raised, _, err := m.raised(t.Context())
	require.NoError(t, err)
	require.Empty(t, raised)

	l := newSite(o, s)
	l.first(m)
	// Outside a pod, and without permission to read the objects of kube-apiserver.
	process := l.start(o, m.path(fair), append(l.switches(fair), "--flow-control-from-cluster")...)
	_, ready := process.awaitReady(t.Context(), patience)
	require.True(t, ready, process.Output())
	l.awaitServed(o, s.mouse)
	l.contest(o, true) // fails if a request of a mouse fails
	require.Positive(t, l.dispatched(t, "workload-low"))
}

// dispatched returns how many requests of a priority level the server has dispatched, from
// its debug endpoint.
func (l *site) dispatched(t *testing.T, level string) int {
	t.Helper()
	reply, err := l.send(t.Context(), http.MethodGet, "/debug/api_priority_and_fairness/dump_priority_levels", "", "Authorization: Bearer "+l.administrator())
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.Code, "%s", reply.Body)
	header, lines, _ := strings.Cut(reply.Body, "\n")
	require.Contains(t, header, "DispatchedRequests")
	for line := range strings.Lines(lines) {
		cells := strings.Split(line, ",")
		if strings.TrimSpace(cells[0]) == level {
			count, err := strconv.Atoi(strings.TrimSpace(cells[6]))
			require.NoError(t, err)
			return count
		}
	}
	t.Fatalf("no level %s in %s", level, reply.Body)
	return 0
}
