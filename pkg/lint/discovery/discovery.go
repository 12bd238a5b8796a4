// Package discovery has the resources of Kubernetes, for answers without an API server.
package discovery

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BuiltIn returns the resources of Kubernetes as its discovery has them: the groups in kubectl's
// order of preference, the preferred version of a group first, and subresources after their
// resource.
func BuiltIn() []*metav1.APIResourceList {
	var lists []*metav1.APIResourceList
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		version := strings.TrimPrefix(fields[0], "core/")
		if len(lists) == 0 || lists[len(lists)-1].GroupVersion != version {
			lists = append(lists, &metav1.APIResourceList{GroupVersion: version})
		}
		last := lists[len(lists)-1]
		last.APIResources = append(last.APIResources, resources(fields)...)
	}
	return lists
}

// resources returns the resource of a row of the table, and its subresources.
func resources(fields []string) []metav1.APIResource {
	resource := metav1.APIResource{
		Namespaced: fields[1] == "namespaced", Kind: fields[2], SingularName: strings.ToLower(fields[2]),
		Name: fields[3], ShortNames: words(fields[4]), Categories: fields[6:], Verbs: verbs(fields[0], fields[2]),
	}
	rows := []metav1.APIResource{resource}
	for _, name := range words(fields[5]) {
		rows = append(rows, subresource(&resource, name))
	}
	return rows
}

// words returns the words of a column of the table.
func words(column string) []string {
	if column == "-" {
		return nil
	}
	return strings.Split(column, ",")
}

// verbs returns the verbs of a kind.
func verbs(version, kind string) metav1.Verbs {
	switch {
	case strings.HasSuffix(kind, "Review"), kind == "Binding":
		return metav1.Verbs{"create"}
	case strings.HasPrefix(version, "metrics.k8s.io/"), kind == "ComponentStatus":
		return metav1.Verbs{"get", "list"}
	case kind == "Namespace":
		return metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}
	default:
		return metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	}
}

// subresource returns a subresource. Its kind is the kind of its body.
func subresource(of *metav1.APIResource, name string) metav1.APIResource {
	sub := metav1.APIResource{Name: of.Name + "/" + name, Namespaced: of.Namespaced, Kind: of.Kind, Verbs: metav1.Verbs{"get", "patch", "update"}}
	switch name {
	case "scale":
		sub.Group, sub.Version, sub.Kind = "autoscaling", "v1", "Scale"
	case "eviction":
		sub.Group, sub.Version, sub.Kind, sub.Verbs = "policy", "v1", "Eviction", metav1.Verbs{"create"}
	case "token":
		sub.Group, sub.Version, sub.Kind, sub.Verbs = "authentication.k8s.io", "v1", "TokenRequest", metav1.Verbs{"create"}
	}
	return sub
}

// Subresources returns the names of all subresources, sorted.
func Subresources() []string {
	var names []string
	for _, list := range BuiltIn() {
		for i := range list.APIResources {
			if _, name, isSub := strings.Cut(list.APIResources[i].Name, "/"); isSub {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
