// Package adoption contains only a test: a server built on k8s.io/apiserver that adopts
// flow control as the comment of package apf says.
package adoption
