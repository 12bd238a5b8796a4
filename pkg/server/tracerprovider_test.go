package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/component-base/tracing"
)

// unreachableCollector is a provider whose collector does not respond.
type unreachableCollector struct{ tracing.TracerProvider }

func (unreachableCollector) Shutdown(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Hour):
		return nil
	}
}

func TestAStopWaitsOnlyAWhileForTheLastSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		require.ErrorIs(t, boundedTracerProvider{unreachableCollector{}}.Shutdown(t.Context()), context.DeadlineExceeded)
		require.Equal(t, tracesPatience, time.Since(start))
	})
}
