// Package discovery has the resources of Kubernetes, for answers without an API server.
package discovery

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a resource of Kubernetes.
type Resource struct {
	schema.GroupVersionResource

	// Kind is in lower case also the singular name.
	Kind       string
	Namespaced bool
	ShortNames []string
	// Subresources are such as "status".
	Subresources []string
}

// BuiltIn returns the resources of Kubernetes: the groups in kubectl's order of preference, and the preferred
// version of a group first.
func BuiltIn() []Resource {
	var all []Resource
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		group, version, _ := strings.Cut(strings.TrimPrefix(fields[0], "core"), "/")
		all = append(all, Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: fields[3]},
			Namespaced:           fields[1] == "namespaced", Kind: fields[2], ShortNames: words(fields[4]), Subresources: words(fields[5]),
		})
	}
	return all
}

// words returns the words of a column of the table.
func words(column string) []string {
	if column == "-" {
		return nil
	}
	return strings.Split(column, ",")
}

// Subresources returns the names of all subresources, sorted.
func Subresources() []string {
	var names []string
	for _, resource := range BuiltIn() {
		names = append(names, resource.Subresources...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
