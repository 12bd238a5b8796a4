// Package replacement runs Kubernetes' own tests of flow control against kube-apiservers
// with pkg/apf in place of the library's engine, see test/replacement, and its end-to-end tests
// against kube-apiservers with this project's server registered. The tests are of the long lane,
// since these programs must be compiled.
package replacement
