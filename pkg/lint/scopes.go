package lint

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

// scopesOf returns the scopes of a resource, without its subresource, in an API group; both
// may be the wildcard. What discovery or the table of built-in resources does not know may
// have any scope.
func (k *known) scopesOf(group, resource string) scopes {
	var found scopes
	take := func(inGroup, name string, namespaced bool) {
		if (group == wildcard || group == inGroup) && (resource == wildcard || resource == name) {
			found.add(name, namespaced)
		}
	}
	served := k.discovered
	if served == nil && group != wildcard {
		served = k.builtIn
	}
	for of, namespaced := range served {
		take(of.Group, of.Name, namespaced)
	}
	if found == (scopes{}) {
		return scopes{namespaced: true, cluster: true, namespaces: resource == wildcard || resource == "namespaces"}
	}
	return found
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
