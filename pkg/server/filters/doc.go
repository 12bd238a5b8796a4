// Package filters holds the filters of the handler chain that k8s.io/apiserver
// does not have. Package server puts them in their places.
package filters
