// Package parity compares validation, defaulting and conversion of the product
// with k8s.io/kubernetes. Both process the same JSON. The verdict, the type,
// field and bad value of every error, and the resulting object have to be equal.
//
// Objects are generated from a seed, which the test prints. The short lane uses
// the same seed in each run; the long lane uses a new one and generates many
// more objects. A difference is reported with the smallest object that still
// shows it.
package parity
