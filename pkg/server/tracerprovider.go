package server

import (
	"context"
	"time"

	"k8s.io/component-base/tracing"
)

// tracesPatience bounds how long a stop waits for the last spans to be sent.
const tracesPatience = 3 * time.Second

// boundedTracerProvider ends in time. The library gives a collector that does not respond
// ten seconds for each of the last batches: 40 s in all, more than the 30 s after which
// kubelet kills a process.
type boundedTracerProvider struct{ tracing.TracerProvider }

var _ tracing.TracerProvider = boundedTracerProvider{}

// Shutdown implements tracing.TracerProvider.
func (p boundedTracerProvider) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tracesPatience)
	defer cancel()
	return p.TracerProvider.Shutdown(ctx)
}
