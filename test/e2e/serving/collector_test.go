//go:build long

package serving

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestOpenTelemetryCollectorTakesTheTraces sends the traces of a server that
// samples every request to an OpenTelemetry collector.
func TestOpenTelemetryCollectorTakesTheTraces(t *testing.T) {
	t.Parallel()
	endpoint, collector := startCollector(t)
	s := startSite(t, harness.ServerOptions{
		Args: []string{
			"--token-auth-file=" + tokensOf(t),
			"--tracing-config-file=" + tracingTo(t, endpoint, "samplingRatePerMillion: 1000000\n"),
		},
		Env: []string{batchDelay},
	})
	const own, guests = schemasPath + "/exempt", levelsPath + "/exempt"
	require.Equal(t, http.StatusOK, s.ask(t, http.MethodGet, own, "", traceparent(callersTrace)).Code)
	require.Equal(t, http.StatusForbidden, s.askAs(t, guest, http.MethodGet, guests, "", traceparent(guestsTrace)).Code)

	eventually.Holds(t, "the collector has written the spans", func(a *eventually.Attempt) {
		ownSpan, guestsSpan := spanOf(collector.Output(), own), spanOf(collector.Output(), guests)
		for _, text := range []string{"Trace ID       : " + callersTrace, "Parent ID      : " + callersSpan, "GET " + schemasPath + "/{:name}", "Kind           : Server"} {
			require.Contains(a, ownSpan, text)
		}
		require.Contains(a, guestsSpan, "GET "+levelsPath+"/{:name}")
		require.NotContains(a, guestsSpan, "Parent ID      : "+callersSpan, "whoever is no administrator begins a trace of the server")
		require.Contains(a, collector.Output(), "service.name: Str(apiserver)")
	})
}

// startCollector starts a collector that prints what it receives.
func startCollector(t *testing.T) (endpoint string, collector *harness.Process) {
	t.Helper()
	listener := listen(t)
	endpoint = listener.Addr().String()
	require.NoError(t, listener.Close())
	config := fileOf(t, "collector.yaml", `receivers:
  otlp: {protocols: {grpc: {endpoint: "`+endpoint+`"}}}
exporters:
  debug: {verbosity: detailed}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [debug]}
`)
	collector = harness.StartProcess(t, harness.Command{Path: harness.Program(t, binaries.Collector), Args: []string{"--config=file:" + config}})
	require.NoError(t, collector.WaitOutput(t.Context(), "Everything is ready"))
	return endpoint, collector
}

// spanOf returns the collector's output about the span of a request: the text
// after a "Span #" whose attributes include the path.
func spanOf(output, path string) string {
	for span := range strings.SplitSeq(output, "Span #") {
		if strings.Contains(span, "http.target: Str("+path+")") {
			return span
		}
	}
	return ""
}
