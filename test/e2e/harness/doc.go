// Package harness starts real processes for the end-to-end tests: etcd, this
// project's server, kube-apiserver and kubectl.
//
// Each Start function takes the test that owns the process. When the test ends
// the process is stopped, and if the test failed the end of its output is
// attached to it. When the test process itself dies, by a panic or a timeout
// too, Linux kills what it started.
//
// Ports are of the loopback, and the test's own until it ends, also while no
// process listens there. Nothing here sleeps: what must be waited for is polled
// until a deadline.
package harness

import "context"

// TB is the part of testing.TB that the harness uses; *testing.T and
// *testing.B have it, and a program that is no test brings its own.
type TB interface {
	Helper()
	Name() string
	Failed() bool
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	TempDir() string
	Context() context.Context
}
