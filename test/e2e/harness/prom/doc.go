// Package prom runs a real Prometheus for tests, and asks its API. Prometheus must be
// compiled, so only tests of the long lane use it.
package prom
