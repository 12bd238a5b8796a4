package explain

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Request is a request to be explained.
type Request struct {
	// Verb is the verb as RBAC has it: get, list, watch, create, update, patch, delete
	// or deletecollection; with Path, an HTTP method in lower case is valid too.
	Verb string
	// Path is the URL path, with or without a query. It excludes the fields from
	// Resource to Name.
	Path string
	// Resource is the resource. Its Namespaced is used only for notes.
	Resource Resource
	// Subresource is such as "status"; empty for the resource itself.
	Subresource string
	// Namespace is empty for a cluster-scoped resource, and for all namespaces.
	Namespace string
	// Name is the name of the object, empty for a list.
	Name string
	// User sends the request. Groups are completed, see the package comment.
	User   string
	Groups []string
	// Options are the options of a list or a watch.
	Options metav1.ListOptions
	// Notes become notes of the answer.
	Notes []string
}

// Resource is a resource of the API.
type Resource struct {
	Group, Version, Resource string
	// Namespaced reports whether its objects are in namespaces.
	Namespaced bool
	// Inferred reports whether scope and version were guessed.
	Inferred bool
}

// String returns the resource and its group, such as "deployments.apps".
func (r Resource) String() string {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()
}
