// Package benchmarks contains only benchmarks: of this engine and k8s.io/apiserver's, in one
// process.
package benchmarks
