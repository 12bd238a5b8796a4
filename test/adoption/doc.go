// Package adoption contains only a test, of what adopting pkg/apf does to the modules of
// a server built on k8s.io/apiserver. Each folder below is a module: a server of another
// project as it is (plain), with the flow control of k8s.io/apiserver (library), and with
// pkg/apf (fair). hack/lab/adoption builds and measures them, and docs/evidence/adoption.md has the
// figures. pkg/apf/internal/adoption tests the same step on the smallest server, in one process.
package adoption
