package lint

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// known are the facts in a form to compare with rules. A nil set is unknown.
type known struct {
	namespaces sets.Set[string]
	accounts   map[string]sets.Set[string] // by namespace
	apiGroups  sets.Set[string]
	names      sets.Set[string]  // of resources, in any group
	discovered map[Resource]bool // with Namespaced unset: whether it is namespaced
	scopes     *scopeTable       // of these or, if they are unknown, of Kubernetes
	plurals    map[string]string // the resources of Kubernetes by their singulars
}

func newKnown(facts *Facts) *known {
	k := &known{scopes: newScopeTable(builtInResources()), plurals: plurals()}
	if facts.Namespaces != nil {
		k.namespaces = sets.New(facts.Namespaces...)
	}
	if facts.ServiceAccounts != nil {
		k.accounts = map[string]sets.Set[string]{}
		for namespace, names := range facts.ServiceAccounts {
			k.accounts[namespace] = sets.New(names...)
		}
	}
	if facts.Resources != nil {
		k.apiGroups, k.names, k.discovered = sets.New[string](), sets.New[string](), map[Resource]bool{}
		for _, resource := range facts.Resources {
			k.apiGroups.Insert(resource.Group)
			k.names.Insert(resource.Name)
			k.discovered[Resource{Group: resource.Group, Name: resource.Name}] = resource.Namespaced
		}
		k.scopes = newScopeTable(k.discovered)
	}
	return k
}

// builtInResources returns the resources of Kubernetes, and whether they are namespaced.
func builtInResources() map[Resource]bool {
	resources := map[Resource]bool{}
	for _, r := range discovery.BuiltIn() {
		resources[Resource{Group: r.Group, Name: r.Resource}] = r.Namespaced
	}
	return resources
}

// plurals returns the resources of Kubernetes by their singulars.
func plurals() map[string]string {
	plurals := map[string]string{"endpoint": "endpoints"} // the kind is Endpoints
	for _, r := range discovery.BuiltIn() {
		if singular := strings.ToLower(r.Kind); singular != r.Resource {
			plurals[singular] = r.Resource
		}
	}
	return plurals
}

// servedIn returns a function that reports whether one of the API groups, which may be the
// wildcard, has a resource, or that this is unknown.
func (k *known) servedIn(apiGroups []string) func(resource string) bool {
	if k.discovered == nil {
		return func(string) bool { return true }
	}
	if rules.IsAll(apiGroups) {
		return k.names.Has
	}
	groups := sets.New(apiGroups...)
	return func(resource string) bool {
		for group := range k.scopes.byName[resource] {
			if groups.Has(group) {
				return true
			}
		}
		return false
	}
}

// hasNamespace reports whether the namespace exists, or that this is unknown.
func (k *known) hasNamespace(name string) bool { return k.namespaces == nil || k.namespaces.Has(name) }

// hasAccount reports whether the service account exists, or that this is unknown.
func (k *known) hasAccount(namespace, name string) bool {
	return k.accounts == nil || k.accounts[namespace].Has(name)
}
