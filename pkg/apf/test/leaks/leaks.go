// Package leaks fails tests that leave goroutines running.
//
// Goroutines of libraries end some time after they were told to: goroutines of a
// work queue within half a second, which is longer than goleak itself waits. So
// these checks wait as every test does (package eventually).
package leaks

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// Main is a TestMain: it runs the package's tests and fails the package if a
// goroutine that they started does not end.
func Main(m *testing.M) {
	before := goleak.IgnoreCurrent()
	code := m.Run()
	if code == 0 {
		if failures := eventually.Within(context.Background(), ended(before)); failures != "" {
			fmt.Fprintln(os.Stderr, "leaks: the tests passed, but goroutines that they started still run:\n"+failures)
			code = 1
		}
	}
	os.Exit(code)
}

// None returns a function that waits until the goroutines that started after
// None was called have ended. Defer it:
//
//	defer leaks.None(t)()
func None(t eventually.TB) func() {
	t.Helper()
	before := goleak.IgnoreCurrent()
	return func() {
		t.Helper()
		eventually.Holds(t, "the goroutines that the test started have ended", ended(before))
	}
}

// ended is the attempt that finds no goroutine but those from before.
func ended(before goleak.Option) func(*eventually.Attempt) {
	return func(a *eventually.Attempt) { require.NoError(a, goleak.Find(before)) }
}
