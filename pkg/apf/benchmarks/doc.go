// Package benchmarks has no code of the product: its tests run our engine and
// that of k8s.io/apiserver side by side, in one process.
package benchmarks
