// Package mixin is the source of artifacts/monitoring: recording and alert rules for
// Prometheus and a dashboard for Grafana, about what an administrator decides by.
//
// An alert says that somebody should act, and docs/operations.md says how. A panel shows
// what the decision depends on. Both are Go values. `go run ./hack/monitoring` writes them
// to files.
//
// The rules of flow control itself use metrics that kube-apiserver has too. They select
// jobs by Parameters.FlowControlJobs, and so may watch kube-apiserver's flow control with
// the same thresholds. The others select the job of this server.
//
// Windows and durations are for production. Parameters.Pace shortens them for tests, down to a
// floor that the periods of the server require.
package mixin
