package lint

import (
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// readScope adds FC105: a rule for all namespaces, but not for requests without a
// namespace, which lists and watches of all namespaces are.
func (r *ruleReader) readScope(rule *flowcontrolv1.PolicyRulesWithSubjects, resources *flowcontrolv1.ResourcePolicyRule, path string) {
	if resources.ClusterScope || !isWildcard(resources.Namespaces) {
		return
	}
	isClusterScoped := func(resource string) bool { return r.facts.isClusterScoped(resource) }
	if len(resources.Resources) > 0 && !slices.ContainsFunc(resources.Resources, func(resource string) bool { return !isClusterScoped(resource) }) {
		r.add(NoClusterScope, path+".clusterScope", "The rule is for requests with a namespace, and requests for these cluster-scoped resources have none.", "Set clusterScope to true.")
		return
	}
	across := acrossNamespaces(resources)
	if len(across.Verbs) == 0 || len(across.Resources) == 0 {
		return
	}
	isMissing := false
	for _, users := range userSetsOf(rule.Subjects) {
		forEachResourceTuple(users, across, func(t tuple) bool {
			isMissing = isMissing || !takes(r.schema, &t)
			return !isMissing
		})
	}
	if isMissing {
		r.add(NoClusterScope, path+".clusterScope", "The rule does not match lists and watches of all namespaces, such as those of controllers: such requests have no namespace.",
			"Set clusterScope to true.")
	}
}

// acrossNamespaces returns the lists and watches of all namespaces that the rule would
// match with clusterScope.
func acrossNamespaces(resources *flowcontrolv1.ResourcePolicyRule) *flowcontrolv1.ResourcePolicyRule {
	across := &flowcontrolv1.ResourcePolicyRule{APIGroups: resources.APIGroups, ClusterScope: true}
	for _, verb := range resources.Verbs {
		if slices.Contains([]string{"list", "watch", "deletecollection", wildcard}, verb) {
			across.Verbs = append(across.Verbs, verb)
		}
	}
	for _, resource := range resources.Resources {
		if !strings.Contains(resource, "/") {
			across.Resources = append(across.Resources, resource)
		}
	}
	return across
}
