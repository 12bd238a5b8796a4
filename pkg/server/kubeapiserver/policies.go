package kubeapiserver

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/client-go/informers"
)

// ForgetOtherPolicies makes an informer keep of ValidatingAdmissionPolicies that cannot match
// objects of this server only what says so. The library compiles every policy of the cluster, and
// watches the parameters of each; there may be hundreds. Call it before the informers
// start.
func ForgetOtherPolicies(factory informers.SharedInformerFactory) error {
	return factory.Admissionregistration().V1().ValidatingAdmissionPolicies().Informer().SetTransform(withoutOthers)
}

// withoutOthers is the transform of the informer.
func withoutOthers(object any) (any, error) {
	policy, ok := object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
	if !ok {
		return object, nil
	}
	policy.ManagedFields = nil
	if MayMatch(policy.Spec.MatchConstraints) {
		return policy, nil
	}
	policy.Annotations, policy.Status = nil, admissionregistrationv1.ValidatingAdmissionPolicyStatus{}
	policy.Spec = admissionregistrationv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: policy.Spec.MatchConstraints, FailurePolicy: policy.Spec.FailurePolicy,
	}
	return policy, nil
}

// MayMatch reports whether constraints may match objects of this server. Constraints without
// rules match everything.
func MayMatch(constraints *admissionregistrationv1.MatchResources) bool {
	return constraints == nil || len(constraints.ResourceRules) == 0 ||
		slices.ContainsFunc(constraints.ResourceRules, func(rule admissionregistrationv1.NamedRuleWithOperations) bool {
			return ruleMayMatch(&rule.Rule)
		})
}

// ruleMayMatch reports whether a rule may match objects of this server. Selectors, conditions,
// names and operations are left out: what they select can change at any time. An equivalent
// resource, see matchPolicy, would have the same group.
func ruleMayMatch(rule *admissionregistrationv1.Rule) bool {
	return slices.ContainsFunc(rule.APIGroups, func(group string) bool { return group == "*" || group == flowcontrolv1.GroupName }) &&
		slices.ContainsFunc(rule.Resources, func(resource string) bool {
			resource, _, _ = strings.Cut(resource, "/")
			return slices.Contains([]string{"*", "flowschemas", "prioritylevelconfigurations"}, resource)
		})
}
