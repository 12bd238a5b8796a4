package lint

import (
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// scopes say which resources a tuple of a rule may mean.
type scopes struct {
	// namespaced, cluster and namespaces report resources with a namespace, without one,
	// and the resource namespaces.
	namespaced, cluster, namespaces bool
}

func (s *scopes) add(resource string, namespaced bool) {
	s.namespaced = s.namespaced || namespaced
	s.cluster = s.cluster || !namespaced && resource != "namespaces"
	s.namespaces = s.namespaces || resource == "namespaces"
}

func (s *scopes) addAll(other scopes) {
	s.namespaced = s.namespaced || other.namespaced
	s.cluster = s.cluster || other.cluster
	s.namespaces = s.namespaces || other.namespaces
}

// unknownScopes are the scopes of a resource that nothing is known of.
func unknownScopes(resource string) scopes {
	return scopes{namespaced: true, cluster: true, namespaces: resource == wildcard || resource == "namespaces"}
}

// scopeTable has the scopes of resources, to be searched.
type scopeTable struct {
	all     scopes
	byGroup map[string]scopes            // of all resources of an API group
	byName  map[string]map[string]scopes // of a resource, by its API group
}

// newScopeTable returns a table of resources, and whether they are namespaced.
func newScopeTable(resources map[Resource]bool) *scopeTable {
	t := &scopeTable{byGroup: map[string]scopes{}, byName: map[string]map[string]scopes{}}
	for r, namespaced := range resources {
		var one scopes
		one.add(r.Name, namespaced)
		t.all.addAll(one)
		group := t.byGroup[r.Group]
		group.addAll(one)
		t.byGroup[r.Group] = group
		if t.byName[r.Name] == nil {
			t.byName[r.Name] = map[string]scopes{}
		}
		t.byName[r.Name][r.Group] = one
	}
	return t
}

// scopesOf returns the scopes of a resource, without its subresource, in API groups; it and
// one of these may be the wildcard. What discovery or the table of built-in resources does not
// know may have any scope.
func (k *known) scopesOf(groups sets.Set[string], resource string) scopes {
	var found scopes
	inAny := groups.Has(wildcard)
	if inAny {
		found.addAll(k.scopesInAnyGroup(resource))
	}
	literal := len(groups)
	if inAny {
		literal--
	}
	switch {
	case literal == 0:
	case k.scopes == nil:
		found.addAll(unknownScopes(resource))
	case resource == wildcard:
		for group := range groups {
			if in, known := k.scopes.byGroup[group]; known {
				found.addAll(in)
			} else if group != wildcard {
				found.addAll(unknownScopes(resource))
			}
		}
	default:
		matched := 0
		for group, in := range k.scopes.byName[resource] {
			if groups.Has(group) {
				matched++
				found.addAll(in)
			}
		}
		if matched < literal {
			found.addAll(unknownScopes(resource))
		}
	}
	return found
}

// scopesInAnyGroup returns the scopes of a resource in every API group: the table of built-in
// resources does not have the other resources of a cluster.
func (k *known) scopesInAnyGroup(resource string) scopes {
	if k.discovered == nil {
		return unknownScopes(resource)
	}
	var found scopes
	if resource == wildcard {
		found = k.scopes.all
	}
	for _, in := range k.scopes.byName[resource] {
		found.addAll(in)
	}
	if found == (scopes{}) {
		return unknownScopes(resource)
	}
	return found
}

// reach is what the API groups, resources and scope of a rule leave for its verbs.
type reach struct {
	// scopes are the scopes of the resources by their subresource; all subresources without a
	// meaning of their own are one.
	scopes map[string]scopes
	// namespaced and cluster say which requests the rule is for.
	namespaced, cluster bool
}

// otherSubresource stands for subresources without a meaning of their own.
const otherSubresource = "other"

// reachOf returns the reach of a rule, from each of its values once.
func (k *known) reachOf(rule *flowcontrolv1.ResourcePolicyRule) reach {
	r := reach{scopes: map[string]scopes{}, namespaced: len(rule.Namespaces) > 0, cluster: rule.ClusterScope}
	if len(rule.APIGroups) == 0 {
		return r
	}
	groups, seen := sets.New(rule.APIGroups...), map[string]scopes{}
	for _, resource := range rule.Resources {
		name, subresource, _ := strings.Cut(resource, "/")
		switch {
		case resource == wildcard:
			subresource = wildcard
		case !slices.Contains([]string{"", "status", "finalize"}, subresource):
			subresource = otherSubresource
		}
		of, known := seen[name]
		if !known {
			of = k.scopesOf(groups, name)
			seen[name] = of
		}
		all := r.scopes[subresource]
		all.addAll(of)
		r.scopes[subresource] = all
	}
	return r
}

// isDead reports whether no request has the verb, an API group, a resource and a scope of the
// rule together. Verbs that no request has are left to FC108.
func (r reach) isDead(verb string) bool {
	if verbOfResources(verb) != "" {
		return false
	}
	for subresource, of := range r.scopes {
		if r.cluster && of.hasRequest(verb, subresource, false) || r.namespaced && of.hasRequest(verb, subresource, true) {
			return false
		}
	}
	return len(r.scopes) > 0
}

// isNever reports whether one of the verbs is dead, and no request has any of the others.
func (r reach) isNever(verbs []string) bool {
	isDead := false
	for _, verb := range verbs {
		switch {
		case r.isDead(verb):
			isDead = true
		case verbOfResources(verb) == "":
			return false
		}
	}
	return isDead
}

// hasRequest reports whether some request has the verb, a resource of the scopes, the
// subresource ("*" if it may have any or none), and a namespace or none.
func (s scopes) hasRequest(verb, subresource string, inNamespace bool) bool {
	isCollection := verb == "list" || verb == "watch" || verb == "deletecollection"
	switch {
	case subresource != "" && subresource != wildcard && isCollection:
		return false // a subresource is of one object
	case verb == wildcard:
		isCollection = subresource == "" || subresource == wildcard
		verb = "watch"
	}
	across := isCollection && verb != "deletecollection"
	if inNamespace {
		return s.namespaced || s.namespaces && s.namedNamespace(verb, subresource)
	}
	return s.cluster || s.namespaced && across || s.namespaces && (isCollection || subresource == "" && verb == "create" || subresource == wildcard && verb == "create")
}

// namedNamespace reports whether requests for a Namespace name it: then it is the namespace
// of the request. Those for subresources other than these are requests for resources in it.
func (s scopes) namedNamespace(verb, subresource string) bool {
	switch subresource {
	case "":
		return verb != "list" && verb != "create" && verb != "deletecollection"
	case wildcard:
		return verb != "list" && verb != "deletecollection"
	default:
		return subresource == "status" || subresource == "finalize"
	}
}
