// Package benchmarks contains only benchmarks: of this engine and that of
// k8s.io/apiserver, in one process.
package benchmarks
