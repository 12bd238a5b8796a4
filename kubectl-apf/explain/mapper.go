package explain

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// Mapper finds a resource by a name that kubectl accepts: plural, singular, short name
// or kind, with or without version and group, such as deploy or deployments.v1.apps.
type Mapper interface {
	// Find returns the resource, or an error that says what names are valid.
	Find(name string) (Resource, error)
}

// FromRESTMapper returns a Mapper that asks a RESTMapper, such as the one of
// k8s.io/cli-runtime, which knows short names.
func FromRESTMapper(m meta.RESTMapper) Mapper { return restMapper{m} }

type restMapper struct{ meta.RESTMapper }

var _ Mapper = restMapper{}

// Find implements Mapper.
func (m restMapper) Find(name string) (Resource, error) {
	full, group := schema.ParseResourceArg(strings.ToLower(name))
	candidates := []schema.GroupVersionResource{group.WithVersion("")}
	if full != nil {
		candidates = []schema.GroupVersionResource{*full, group.WithVersion("")}
	}
	var found schema.GroupVersionResource
	var err error
	for _, candidate := range candidates {
		if found, err = m.ResourceFor(candidate); err == nil {
			break
		}
	}
	if err != nil {
		return Resource{}, fmt.Errorf("the API server has no resource type %q: %w", name, err)
	}
	kind, err := m.KindFor(found)
	if err != nil {
		return Resource{}, fmt.Errorf("the kind of resource %s is not known: %w", found, err)
	}
	mapping, err := m.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return Resource{}, fmt.Errorf("the scope of resource %s is not known: %w", found, err)
	}
	return Resource{
		Group: found.Group, Version: found.Version, Resource: found.Resource,
		Namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace,
	}, nil
}

// Offline returns a Mapper that needs no API server. It knows the resources of
// Kubernetes. Any other resource must be given with its group, and is taken as
// namespaced, in version v1, with Inferred set.
func Offline() Mapper {
	known := knownResources{}
	for _, r := range discovery.BuiltIn() {
		resource := Resource{Group: r.Group, Version: r.Version, Resource: r.Resource, Namespaced: r.Namespaced}
		known = append(known, knownResource{resource, append([]string{resource.Resource, strings.ToLower(r.Kind)}, r.ShortNames...)})
	}
	return known
}

// knownResources is a Mapper of known resources, in order of preference.
type knownResources []knownResource

type knownResource struct {
	Resource
	names []string // plural first, then singular and short names
}

var _ Mapper = knownResources{}

// Find implements Mapper.
func (t knownResources) Find(name string) (Resource, error) {
	plain, rest, grouped := strings.Cut(strings.ToLower(name), ".")
	for _, row := range t {
		if slices.Contains(row.names, plain) && (!grouped || rest == row.Group || rest == row.Version+"."+row.Group) {
			return row.Resource, nil
		}
	}
	if !grouped || plain == "" || rest == "" {
		return Resource{}, fmt.Errorf("the resource type %q is not known without an API server; if it is a custom resource, give its plural and its group, as in widgets.example.com", name)
	}
	version, group, versioned := strings.Cut(rest, ".")
	if !versioned || !isVersion(version) {
		version, group = "v1", rest
	}
	return Resource{Group: group, Version: version, Resource: plain, Namespaced: true, Inferred: true}, nil
}

// isVersion reports whether a text is an API version, such as v1 or v2beta1.
func isVersion(text string) bool {
	number, isVersion := strings.CutPrefix(text, "v")
	return isVersion && number != "" && strings.Trim(number, "0123456789alphbet") == "" && number[0] >= '1' && number[0] <= '9'
}
