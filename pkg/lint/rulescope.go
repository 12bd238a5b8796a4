package lint

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
)

// readScope adds FC114, or FC105: a rule for all namespaces, but not for requests without a
// namespace, which lists and watches of all namespaces are.
func (r *ruleReader) readScope(users *box.Users, resources *flowcontrolv1.ResourcePolicyRule, path string) {
	if !resources.ClusterScope && len(resources.Namespaces) == 0 {
		return // FC405: a rule without any scope is rejected
	}
	if !r.within.Spend(len(resources.APIGroups) + len(resources.Resources)) {
		return
	}
	reach := r.facts.reachOf(resources)
	if reach.isNever(resources.Verbs) {
		r.add(ImpossibleScope, path+".clusterScope", neverReason(resources)+" So no request matches this rule.",
			"Set clusterScope, namespaces, resources or verbs to what the requests have.")
		return
	}
	each(r, path+".verbs", resources.Verbs, func(verb *string, field string) {
		if reach.isDead(*verb) {
			r.addFinding(finding(ImpossibleScope, r.object, field,
				fmt.Sprintf("No request has the verb %q, these resources and this scope together; other verbs of the rule can match.", *verb),
				"Remove the verb, or set clusterScope, namespaces or resources to what its requests have.").as(Info))
		}
	})
	if resources.ClusterScope || !rules.IsAll(resources.Namespaces) {
		return
	}
	across := box.OfResources(users, acrossNamespaces(resources))
	if _, covered := r.inCluster.Cover(across, func(int) bool { return true }, r.within); !covered && !r.within.IsSpent() {
		r.add(NoClusterScope, path+".clusterScope", "The rule does not match lists and watches of all namespaces, which controllers send: these requests have no namespace.",
			"Set clusterScope to true.")
	}
}

// acrossNamespaces returns the lists and watches of all namespaces that the rule would
// match with clusterScope.
func acrossNamespaces(resources *flowcontrolv1.ResourcePolicyRule) *flowcontrolv1.ResourcePolicyRule {
	across := &flowcontrolv1.ResourcePolicyRule{APIGroups: resources.APIGroups, ClusterScope: true}
	for _, verb := range resources.Verbs {
		if slices.Contains([]string{"list", "watch", wildcard}, verb) {
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

// neverReason says what about the rule is never so.
func neverReason(rule *flowcontrolv1.ResourcePolicyRule) string {
	isCollection := func(verb string) bool { return slices.Contains([]string{"list", "watch", "deletecollection"}, verb) }
	isWhole := func(resource string) bool { return !strings.Contains(resource, "/") }
	switch {
	case !slices.ContainsFunc(rule.Resources, isWhole) && !slices.ContainsFunc(rule.Verbs, func(verb string) bool { return !isCollection(verb) }):
		return "A subresource belongs to one object, and lists, watches and deletecollection have none."
	case !rule.ClusterScope:
		return "The rule is for requests with a namespace, and requests with these verbs and resources have none."
	case len(rule.Namespaces) == 0:
		return "The rule is for requests without a namespace, and requests with these verbs and resources have one."
	default:
		return "No request has these verbs and resources."
	}
}
