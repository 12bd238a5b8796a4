// Package harness starts real processes for the end-to-end tests: etcd, this
// project's server, kube-apiserver and kubectl.
//
// Each Start function takes the test that owns the process. The process is stopped
// when the test ends. If the test failed, the end of the process's output is
// attached to it. If the test process dies, for example by a panic or a timeout,
// Linux kills its children.
//
// Ports are on the loopback interface. They belong to the test until it ends, even
// while no process listens on them. Nothing here sleeps: conditions are polled
// until a deadline.
package harness

import "context"

// TB is the part of testing.TB that the harness uses. *testing.T and *testing.B
// implement it; a program that is not a test uses Owner.
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
