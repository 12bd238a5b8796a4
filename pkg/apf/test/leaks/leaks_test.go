package leaks_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// impatient is a test that waits for nothing, and whose failure is recorded.
type impatient struct {
	*testing.T
	message string
}

func (*impatient) Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (i *impatient) Fatalf(format string, args ...any) { i.message = fmt.Sprintf(format, args...) }

func TestALeakFailsTheTest(t *testing.T) {
	defer leaks.None(t)()
	test := &impatient{T: t}
	none := leaks.None(test)
	end := make(chan struct{})
	go func() { <-end }()
	none()
	close(end)
	require.Contains(t, test.message, "leaks_test.TestALeakFailsTheTest.func1")
}

// TestASlowEndIsNoLeak shuts a work queue down. Its goroutine notices it at its
// next tick only, half a second later.
func TestASlowEndIsNoLeak(t *testing.T) {
	none := leaks.None(t)
	workqueue.NewTyped[string]().ShutDown()
	none()
}
