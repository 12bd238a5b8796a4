package source

import (
	"context"
	"regexp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// policies reads the policies that are bound.
func (o *observer) policies(ctx context.Context) {
	const group = admissionregistrationv1.GroupName
	selecting := map[string]bool{} // by policy: whether a binding selects parameters
	for _, page := range pagesOf[admissionregistrationv1.ValidatingAdmissionPolicyBindingList](ctx, o, group, "validatingadmissionpolicybindings") {
		for i := range page.Items {
			spec := &page.Items[i].Spec
			selecting[spec.PolicyName] = selecting[spec.PolicyName] || spec.ParamRef != nil && spec.ParamRef.Name == ""
		}
	}
	for _, page := range pagesOf[admissionregistrationv1.ValidatingAdmissionPolicyList](ctx, o, group, "validatingadmissionpolicies") {
		for i := range page.Items {
			policy := &page.Items[i]
			parameters, bound := selecting[policy.Name]
			if !bound || policy.Spec.MatchConstraints == nil {
				continue
			}
			found := lint.Policy{
				Object:     lint.Object{Kind: "ValidatingAdmissionPolicy", Name: policy.Name},
				Authorizes: asksAuthorizer(&policy.Spec), Parameters: parameters && policy.Spec.ParamKind != nil,
			}
			for k := range policy.Spec.MatchConstraints.ResourceRules {
				found.Requests = append(found.Requests, policyRule(&policy.Spec.MatchConstraints.ResourceRules[k].RuleWithOperations))
			}
			o.update(func(f *Facts) { f.Policies = append(f.Policies, found) })
		}
	}
}

// authorizerCall finds a use of the variable authorizer of CEL.
var authorizerCall = regexp.MustCompile(`\bauthorizer\b`)

// asksAuthorizer reports whether an expression of the policy does.
func asksAuthorizer(spec *admissionregistrationv1.ValidatingAdmissionPolicySpec) bool {
	var expressions []string
	for _, v := range spec.Validations {
		expressions = append(expressions, v.Expression, v.MessageExpression)
	}
	for _, v := range spec.Variables {
		expressions = append(expressions, v.Expression)
	}
	for _, v := range spec.MatchConditions {
		expressions = append(expressions, v.Expression)
	}
	for _, v := range spec.AuditAnnotations {
		expressions = append(expressions, v.ValueExpression)
	}
	return slices.ContainsFunc(expressions, authorizerCall.MatchString)
}
