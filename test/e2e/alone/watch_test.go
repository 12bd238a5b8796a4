package alone

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// watchSchemas watches until the test ends.
func (s *site) watchSchemas(t *testing.T, options metav1.ListOptions) watch.Interface {
	t.Helper()
	watcher, err := s.schemas().Watch(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(watcher.Stop)
	return watcher
}

// received returns the next value of a channel, and fails if none arrives.
func received[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	select {
	case value, open := <-from:
		require.True(t, open, "%s: the channel is closed", what)
		return value
	case <-ctx.Done():
		t.Fatalf("waited in vain for %s", what)
		panic("not reached")
	}
}

// requireAdded requires that the next event is the addition of a schema.
func requireAdded(t *testing.T, watcher watch.Interface, name string) {
	t.Helper()
	event := received(t, "an event", watcher.ResultChan())
	require.Equal(t, watch.Added, event.Type, "%v", event.Object)
	require.Equal(t, name, event.Object.(*flowcontrolv1.FlowSchema).Name)
}
