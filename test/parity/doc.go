// Package parity holds validation, defaulting and conversion of the product
// against those of k8s.io/kubernetes: the same JSON goes through both, and the
// verdict, the type, field and bad value of every error, and the object that
// comes out have to be the same.
//
// Objects are generated from a seed, which the test prints: the same in each run of
// the short lane, a new one in each run of the long lane, which makes many more. A
// difference is reported with the smallest object that still shows it.
package parity
