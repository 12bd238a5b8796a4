package lint

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// madeUpNamespaces is FC118: each namespace is a flow, and many clients may name any namespace. Flow control
// comes before authorization, so the namespace need not exist, and the client may lack permission for it.
func madeUpNamespaces(schema *flowcontrolv1.FlowSchema) []Finding {
	if ptr.Deref(schema.Spec.DistinguisherMethod, flowcontrolv1.FlowDistinguisherMethod{}).Type != flowcontrolv1.FlowDistinguisherMethodByNamespaceType {
		return nil
	}
	var findings []Finding
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		if !slices.ContainsFunc(rule.ResourceRules, func(r flowcontrolv1.ResourcePolicyRule) bool { return slices.Contains(r.Namespaces, rules.All) }) {
			continue
		}
		for k := range rule.Subjects {
			if users, ok := usersOf(&rule.Subjects[k]); ok && (users.IsBroad() || users.Kind == userset.OneGroup) {
				findings = append(findings, finding(MadeUpNamespaces, schemaObject(schema.Name), fmt.Sprintf("spec.rules[%d].subjects[%d]", i, k),
					"Each namespace in a URL is a flow, before authorization. A client that makes up N namespaces gets the shares of N flows, and leaves one namespace 1/(N+1).",
					"Use the distinguisher ByUser, or list the namespaces in the rule."))
				break
			}
		}
	}
	return findings
}
