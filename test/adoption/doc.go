// Package adoption contains only a test, of what adopting pkg/apf does to the modules of
// a server built on k8s.io/apiserver.
package adoption
