package serving

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestServerThatIsObserved runs a server with auditing, tracing and JSON logs, and
// a server with limits for TLS and HTTP/2.
func TestServerThatIsObserved(t *testing.T) {
	t.Parallel()
	log, webhook, spans := newAuditLog(t), newBatchReceiver(t), newSpanReceiver(t)
	s := startSite(t, harness.ServerOptions{
		Args: append(auditArgs(t, log, webhook),
			"--token-auth-file="+tokensOf(t, unaudited, audited, audited+"-less"),
			"--tracing-config-file="+tracingTo(t, spans.endpoint, ""),
			"--logging-format=json", "--v=3",
			"--tls-min-version=VersionTLS12", "--tls-cipher-suites="+onlySuite,
			"--http2-max-streams-per-connection=17",
		),
		Env: []string{batchDelay},
	})
	t.Run("the policy says how much of a request is audited", func(t *testing.T) { s.testPolicy(t, log) })
	t.Run("the audit webhook is sent batches", func(t *testing.T) { testBatches(t, log, webhook) })
	t.Run("a self-review is audited as other requests are", func(t *testing.T) { s.testReviewIsAudited(t, log) })
	t.Run("a traced request is one trace with its caller", func(t *testing.T) { s.testTrace(t, spans) })
	t.Run("clients of TLS 1.2 have the cipher suites that are named", s.testCipherSuites)
	t.Run("HTTP/2 clients are told how many streams they may open", s.testStreams)
	t.Run("profiles are for administrators", s.testProfiles)
	t.Run("the watch cache is measured", func(t *testing.T) {
		require.Contains(t, s.ask(t, http.MethodGet, "/metrics", "").Body, watchCacheMetrics)
	})
	t.Run("every line of the log is JSON", s.testJSON)
}

func (s *site) testProfiles(t *testing.T) {
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine"} {
		require.Equal(t, http.StatusOK, s.ask(t, http.MethodGet, path, "").Code, path)
		require.Equal(t, http.StatusForbidden, s.askAs(t, guest, http.MethodGet, path, "").Code, path)
	}
}

// line is a line of the log; each has a time and a message.
type line struct {
	Time      *float64 `json:"ts"`
	Message   *string  `json:"msg"`
	Verbosity *int     `json:"v"`
	URI       string   `json:"URI"`
	Code      int      `json:"resp"`
	// What flow control adds to the line of a request, with the names of kube-apiserver.
	Level             string  `json:"apf_pl"`
	Schema            string  `json:"apf_fs"`
	InitialSeats      *int    `json:"apf_iseats"`
	FinalSeats        *int    `json:"apf_fseats"`
	AdditionalLatency *string `json:"apf_additionalLatency"`
	Execution         *string `json:"apf_execution_time"`
}

// testJSON reads the output. Its only line of stdout reports that the server is
// ready.
func (s *site) testJSON(t *testing.T) {
	const path = schemasPath + "/nobody-has-this-name"
	require.Equal(t, http.StatusNotFound, s.ask(t, http.MethodGet, path, "").Code)
	const governed = "/version?of=a-governed-request"
	require.Equal(t, http.StatusOK, s.askAs(t, guest, http.MethodGet, governed, "").Code)
	require.NoError(t, s.Process.WaitOutput(t.Context(), path))
	require.NoError(t, s.Process.WaitOutput(t.Context(), governed))
	s.Stop(t)

	requests, governedRequests := 0, 0
	for text := range strings.Lines(s.Process.Output()) {
		if strings.HasPrefix(text, "Ready on ") {
			continue
		}
		var l line
		require.NoError(t, json.Unmarshal([]byte(text), &l), text)
		require.NotNil(t, l.Time, text)
		require.NotNil(t, l.Message, text)
		if l.URI == path {
			requests++
			require.NotNil(t, l.Verbosity, text)
			require.Equal(t, http.StatusNotFound, l.Code, text)
			require.Equal(t, "exempt", l.Level, text)
			require.Equal(t, "exempt", l.Schema, text)
		}
		if l.URI == governed {
			governedRequests++
			l.requireFlowControl(t, text)
		}
	}
	require.Equal(t, 1, requests, "the request is logged")
	require.Equal(t, 1, governedRequests, "the governed request is logged")
}

// requireFlowControl requires what kube-apiserver logs of a request that is not exempt.
func (l line) requireFlowControl(t *testing.T, text string) {
	t.Helper()
	require.Equal(t, "global-default", l.Level, text)
	require.Equal(t, "global-default", l.Schema, text)
	require.Equal(t, new(1), l.InitialSeats, text)
	require.Equal(t, new(0), l.FinalSeats, text)
	require.NotNil(t, l.AdditionalLatency, text)
	require.NotNil(t, l.Execution, text)
}
