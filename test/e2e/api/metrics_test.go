package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lintedMetrics holds that promlint, which `promtool check metrics` runs, has no objection to a metric
// here that it has not to the same metric of kube-apiserver. It objects to three names of flow
// control, which are the library's: TestFamiliesAreThoseOfPeer.
func (p *pair) lintedMetrics(t *testing.T) {
	theirs := p.peer.lintProblems(t)
	assert.NotEmpty(t, theirs, "it objects to some names of the library")
	for problem := range p.ours.lintProblems(t) {
		if !strings.HasPrefix(problem.Metric, "apiserver_flowcontrol_") {
			assert.Contains(t, theirs, problem)
		}
	}
}

// lintProblems returns what promlint says of /metrics.
func (s *side) lintProblems(t *testing.T) map[promlint.Problem]bool {
	t.Helper()
	answer, err := s.http.Get(s.url + "/metrics")
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	problems, err := promlint.New(answer.Body).Lint()
	require.NoError(t, err)
	found := map[promlint.Problem]bool{}
	for _, problem := range problems {
		found[problem] = true
	}
	return found
}
