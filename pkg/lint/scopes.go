package lint

import "strings"

// builtInScopes are the resources of Kubernetes by API group, those with a namespace first:
// an absent group or resource is of unknown scope.
func builtInScopes() map[string][2]string {
	return map[string][2]string{
		"": {"bindings configmaps endpoints events limitranges persistentvolumeclaims pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
			"componentstatuses namespaces nodes persistentvolumes"},
		"admissionregistration.k8s.io": {"", "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations"},
		"apiextensions.k8s.io":         {"", "customresourcedefinitions"},
		"apiregistration.k8s.io":       {"", "apiservices"},
		"apps":                         {"controllerrevisions daemonsets deployments replicasets statefulsets", ""},
		"authentication.k8s.io":        {"", "selfsubjectreviews tokenreviews"},
		"authorization.k8s.io":         {"localsubjectaccessreviews", "selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews"},
		"autoscaling":                  {"horizontalpodautoscalers", ""},
		"batch":                        {"cronjobs jobs", ""},
		"coordination.k8s.io":          {"leasecandidates leases", ""},
		"discovery.k8s.io":             {"endpointslices", ""},
		"events.k8s.io":                {"events", ""},
		"flowcontrol.apiserver.k8s.io": {"", "flowschemas prioritylevelconfigurations"},
		"metrics.k8s.io":               {"pods", "nodes"},
		"networking.k8s.io":            {"ingresses networkpolicies", "ingressclasses ipaddresses servicecidrs"},
		"node.k8s.io":                  {"", "runtimeclasses"},
		"policy":                       {"poddisruptionbudgets", ""},
		"rbac.authorization.k8s.io":    {"rolebindings roles", "clusterrolebindings clusterroles"},
		"resource.k8s.io":              {"resourceclaims resourceclaimtemplates", "deviceclasses devicetaintrules resourceslices"},
		"scheduling.k8s.io":            {"", "priorityclasses"},
		"storage.k8s.io":               {"csistoragecapacities", "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses"},
	}
}

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
	for of, namespaced := range k.discovered {
		take(of.Group, of.Name, namespaced)
	}
	if k.discovered == nil && group != wildcard {
		table := builtInScopes()[group]
		for i, list := range table {
			for name := range strings.FieldsSeq(list) {
				take(group, name, i == 0)
			}
		}
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
