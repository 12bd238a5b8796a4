package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// Mapper finds a resource by a name that kubectl accepts: plural, singular, short name
// or kind, with or without version and group, such as deploy or deployments.v1.apps. Its
// error says what names are valid.
type Mapper func(name string) (Resource, error)

// FromRESTMapper returns a Mapper that asks a RESTMapper, such as the one of
// k8s.io/cli-runtime, which knows short names.
func FromRESTMapper(m meta.RESTMapper) Mapper {
	return func(name string) (Resource, error) {
		full, group := schema.ParseResourceArg(strings.ToLower(name))
		kind, err := m.KindFor(group.WithVersion(""))
		if full != nil {
			if versioned, fault := m.KindFor(*full); fault == nil {
				kind, err = versioned, nil
			}
		}
		if err != nil {
			return Resource{}, fmt.Errorf("the API server has no resource type %q: %w", name, err)
		}
		found, err := m.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return Resource{}, fmt.Errorf("the scope of resource %q is not known: %w", name, err)
		}
		return Resource{
			Group: found.Resource.Group, Version: found.Resource.Version, Resource: found.Resource.Resource,
			Namespaced: found.Scope.Name() == meta.RESTScopeNameNamespace,
		}, nil
	}
}

// Offline is a Mapper that needs no API server. It knows the resources of
// Kubernetes. Any other resource requires its group, and is taken as
// namespaced, in version v1, with Inferred set.
func Offline(name string) (Resource, error) {
	plain, rest, grouped := strings.Cut(strings.ToLower(name), ".")
	for _, r := range discovery.BuiltIn() {
		isNamed := plain == r.Resource || plain == strings.ToLower(r.Kind) || slices.Contains(r.ShortNames, plain)
		if isNamed && (!grouped || rest == r.Group || rest == r.Version+"."+r.Group) {
			return Resource{Group: r.Group, Version: r.Version, Resource: r.Resource, Namespaced: r.Namespaced}, nil
		}
	}
	if !grouped || plain == "" || rest == "" {
		return Resource{}, fmt.Errorf("the resource type %q is not known without an API server; if it is a custom resource, give its plural and its group, as in widgets.example.com", name)
	}
	found := Resource{Group: rest, Version: "v1", Resource: plain, Namespaced: true, Inferred: true}
	if first, group, more := strings.Cut(rest, "."); more && versionPattern.MatchString(first) {
		found.Version, found.Group = first, group
	}
	return found, nil
}

// versionPattern matches an API version, such as v1 or v2beta1.
var versionPattern = regexp.MustCompile(`^v[1-9]\d*(?:(?:alpha|beta)\d+)?$`)
