// Package replacement runs Kubernetes' own tests of flow control against kube-apiservers
// with pkg/apf in place of the library's engine, see test/replacement. The tests are of
// the long lane, since these programs must be compiled.
package replacement
