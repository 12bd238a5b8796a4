package explain

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Request is a request to be explained. Its JSON form is the one of suites.
type Request struct {
	// Verb is the verb as RBAC has it: get, list, watch, create, update, patch, delete
	// or deletecollection; with Path, an HTTP method in lower case is valid too.
	Verb string `json:"verb"`
	// Path is the URL path, with or without a query. It excludes the fields from
	// Resource to Name.
	Path string `json:"path,omitempty"`
	Resource
	// Subresource is such as "status"; empty for the resource itself.
	Subresource string `json:"subresource,omitempty"`
	// Namespace is empty for a cluster-scoped resource, and for all namespaces.
	Namespace string `json:"namespace,omitempty"`
	// Name is the name of the object, empty for a list.
	Name string `json:"name,omitempty"`
	// User sends the request. Groups are completed, see the package comment.
	User   string   `json:"user"`
	Groups []string `json:"groups,omitempty"`
	// Options are the options of a list or a watch.
	Options metav1.ListOptions `json:"options,omitzero"`
	// Notes become notes of the answer.
	Notes []string `json:"-"`
}

// Resource is a resource of the API.
type Resource struct {
	Group    string `json:"group,omitempty"`
	Version  string `json:"-"` // v1 if it is empty
	Resource string `json:"resource,omitempty"`
	// Namespaced reports whether its objects are in namespaces. Only a Parser asks.
	Namespaced bool `json:"-"`
	// Inferred reports whether scope and version were guessed.
	Inferred bool `json:"-"`
}

// String returns the resource and its group, such as "deployments.apps".
func (r Resource) String() string {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()
}
