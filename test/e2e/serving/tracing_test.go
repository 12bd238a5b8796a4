package serving

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const (
	// batchDelay makes the OpenTelemetry library send spans after 10 milliseconds
	// instead of five seconds.
	batchDelay = "OTEL_BSP_SCHEDULE_DELAY=10"

	// callersTrace and callersSpan identify the trace and span of a client.
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
	// guestsTrace is the trace of a client that may not request sampling.
	guestsTrace = "1bf7651916cd43dd8448eb211c80319c"
)

// traceparent returns the W3C Trace Context header of a sampled trace.
func traceparent(trace string) string { return "traceparent: 00-" + trace + "-" + callersSpan + "-01" }

// tracingTo writes a --tracing-config-file with additional lines.
func tracingTo(t *testing.T, endpoint, lines string) string {
	t.Helper()
	return fileOf(t, "tracing.yaml", "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: "+endpoint+"\n"+lines)
}

// spanReceiver receives spans by OTLP over gRPC.
type spanReceiver struct {
	collectorv1.UnimplementedTraceServiceServer

	endpoint string

	mu    sync.Mutex // guards the fields below
	spans []*tracev1.Span
	// services are the service names of the senders.
	services map[string]bool
}

var _ collectorv1.TraceServiceServer = (*spanReceiver)(nil)

func newSpanReceiver(t *testing.T) *spanReceiver {
	t.Helper()
	listener := listen(t)
	r := &spanReceiver{endpoint: listener.Addr().String(), services: map[string]bool{}}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r
}

// Export implements collectorv1.TraceServiceServer.
func (r *spanReceiver) Export(_ context.Context, request *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		for _, attribute := range resource.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				r.services[attribute.GetValue().GetStringValue()] = true
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// received returns a copy of the received spans and services.
func (r *spanReceiver) received() (spans []*tracev1.Span, services map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	services = map[string]bool{}
	for name := range r.services {
		services[name] = true
	}
	return append(spans, r.spans...), services
}

// testTrace sends three requests: one of the guest, whose sampling flag is
// ignored, one without a trace, and one that is sampled.
func (s *site) testTrace(t *testing.T, receiver *spanReceiver) {
	const path = schemasPath + "/catch-all"
	require.Equal(t, http.StatusForbidden, s.askAs(t, guest, http.MethodGet, path, "", traceparent(guestsTrace)).Code)
	require.Equal(t, http.StatusOK, s.ask(t, http.MethodGet, path, "").Code)
	require.Equal(t, http.StatusOK, s.ask(t, http.MethodGet, path, "", traceparent(callersTrace)).Code)

	var spans []*tracev1.Span
	var services map[string]bool
	request, inEtcd := &tracev1.Span{}, &tracev1.Span{}
	// Each span is sent when it has ended, a request's before its handler's.
	eventually.Holds(t, "the span of a question to etcd has come, and those between it and the request's", func(a *eventually.Attempt) {
		spans, services = receiver.received()
		for _, span := range spans {
			if span.GetKind() == tracev1.Span_SPAN_KIND_SERVER {
				request = span
			}
			if strings.HasPrefix(span.GetName(), "etcdserverpb.KV/") {
				inEtcd = span
			}
		}
		require.NotEmpty(a, request.GetName())
		require.NotEmpty(a, inEtcd.GetName())
		require.Equal(a, request.GetSpanId(), ancestor(spans, inEtcd).GetSpanId())
	})
	require.Equal(t, map[string]bool{"apiserver": true}, services)
	require.Equal(t, "GET "+schemasPath+"/{:name}", request.GetName())
	require.Equal(t, callersSpan, hex.EncodeToString(request.GetParentSpanId()))
	require.Equal(t, path, textAttribute(request, "http.target"))
	for _, span := range spans {
		require.Equal(t, callersTrace, hex.EncodeToString(span.GetTraceId()), "%s: only what its caller wants traced is", span.GetName())
	}
}

// ancestor returns the root of a span among the spans.
func ancestor(spans []*tracev1.Span, span *tracev1.Span) *tracev1.Span {
	for _, parent := range spans {
		if string(parent.GetSpanId()) == string(span.GetParentSpanId()) {
			return ancestor(spans, parent)
		}
	}
	return span
}

// textAttribute returns the string attribute with a key.
func textAttribute(span *tracev1.Span, key string) string {
	for _, attribute := range span.GetAttributes() {
		if attribute.GetKey() == key {
			return attribute.GetValue().GetStringValue()
		}
	}
	return ""
}
