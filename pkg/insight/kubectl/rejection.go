package kubectl

import (
	"regexp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// rejection is what kubectl writes about a command that it rejects.
type rejection string

func (r rejection) Error() string { return "kubectl rejects the command: " + string(r) }

// noMatch is how kubectl names a kind of a manifest that the server does not have.
var noMatch = regexp.MustCompile(`no matches for kind "([^"]+)" in version "([^"]+)"`)

// noField is how kubectl explain says that the OpenAPI document of the server has no fields.
var noField = regexp.MustCompile(`^error: field "[^"]*" does not exist$`)

// unknownKind returns the resource of a kind that the server does not have, with the plural
// that is usual, as if it were in namespaces; nil if that is not what kubectl writes about.
func (r rejection) unknownKind() *metav1.APIResourceList {
	found := noMatch.FindStringSubmatch(string(r))
	if found == nil {
		return nil
	}
	version, err := schema.ParseGroupVersion(found[2])
	if err != nil {
		return nil
	}
	plural, singular := meta.UnsafeGuessKindToResource(version.WithKind(found[1]))
	return Unknown(plural, singular.Resource, found[1])
}

// Unknown returns a resource that is not known but for its name, with the resources of its
// version.
func Unknown(resource schema.GroupVersionResource, singular, kind string) *metav1.APIResourceList {
	return &metav1.APIResourceList{GroupVersion: resource.GroupVersion().String(), APIResources: []metav1.APIResource{{
		Name: resource.Resource, SingularName: singular, Kind: kind, Namespaced: true,
		Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	}}}
}

// nameOfFirst returns the first resource of a list, such as widgets.example.com.
func nameOfFirst(list *metav1.APIResourceList) string {
	version, err := schema.ParseGroupVersion(list.GroupVersion)
	if err != nil {
		return list.APIResources[0].Name
	}
	return version.WithResource(list.APIResources[0].Name).GroupResource().String()
}
