package lint

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// wildcard covers everything in each list of a rule. Validation admits it only
// as the single element.
const wildcard = rules.All

func resourceRulesIntersect(a, b *flowcontrolv1.ResourcePolicyRule) bool {
	return rules.Intersect(a.Verbs, b.Verbs) && rules.Intersect(a.APIGroups, b.APIGroups) && rules.Intersect(a.Resources, b.Resources) &&
		(a.ClusterScope && b.ClusterScope || rules.Intersect(a.Namespaces, b.Namespaces))
}
