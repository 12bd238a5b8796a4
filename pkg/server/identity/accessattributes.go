package identity

import (
	"cmp"
	"errors"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// attributesOf returns the request that a valid review asks about.
func attributesOf(who user.Info, spec *authorizationv1.SelfSubjectAccessReviewSpec) authorizer.AttributesRecord {
	if path := spec.NonResourceAttributes; path != nil {
		return authorizer.AttributesRecord{User: who, Path: path.Path, Verb: path.Verb}
	}
	resource := spec.ResourceAttributes
	attributes := authorizer.AttributesRecord{
		User: who, Verb: resource.Verb, Namespace: resource.Namespace, APIGroup: resource.Group, APIVersion: cmp.Or(resource.Version, "*"),
		Resource: resource.Resource, Subresource: resource.Subresource, Name: resource.Name, ResourceRequest: true,
	}
	if selector := resource.FieldSelector; selector != nil {
		attributes.FieldSelectorRequirements, attributes.FieldSelectorParsingErr = fieldRequirements(selector)
	}
	if selector := resource.LabelSelector; selector != nil {
		attributes.LabelSelectorRequirements, attributes.LabelSelectorParsingErr = labelRequirements(selector)
	}
	return attributes
}

// fieldRequirements returns the requirements that are understood, and an error for the
// others: without them the request is wider, and so its authorization stricter.
func fieldRequirements(selector *authorizationv1.FieldSelectorAttributes) (known fields.Requirements, err error) {
	if selector.RawSelector != "" {
		parsed, err := fields.ParseSelector(selector.RawSelector)
		if err != nil {
			return nil, err
		}
		return parsed.Requirements(), nil
	}
	operators := map[metav1.FieldSelectorOperator]selection.Operator{metav1.FieldSelectorOpIn: selection.Equals, metav1.FieldSelectorOpNotIn: selection.NotEquals}
	for _, requirement := range selector.Requirements {
		operator, ok := operators[requirement.Operator]
		if !ok || len(requirement.Values) != 1 {
			err = errors.Join(err, fmt.Errorf("%s: the operator must be In or NotIn, with one value", requirement.Key))
			continue
		}
		known = append(known, fields.Requirement{Field: requirement.Key, Operator: operator, Value: requirement.Values[0]})
	}
	return known, err
}

// labelRequirements does the same for labels.
func labelRequirements(selector *authorizationv1.LabelSelectorAttributes) (known labels.Requirements, err error) {
	if selector.RawSelector != "" {
		parsed, err := labels.Parse(selector.RawSelector)
		if err != nil {
			return nil, err
		}
		known, _ = parsed.Requirements()
		return known, nil
	}
	operators := map[metav1.LabelSelectorOperator]selection.Operator{
		metav1.LabelSelectorOpIn: selection.In, metav1.LabelSelectorOpNotIn: selection.NotIn,
		metav1.LabelSelectorOpExists: selection.Exists, metav1.LabelSelectorOpDoesNotExist: selection.DoesNotExist,
	}
	for _, expression := range selector.Requirements {
		operator, ok := operators[expression.Operator]
		if !ok {
			err = errors.Join(err, fmt.Errorf("%q is not a valid label selector operator", expression.Operator))
			continue
		}
		requirement, invalid := labels.NewRequirement(expression.Key, operator, expression.Values)
		if invalid != nil {
			err = errors.Join(err, invalid)
			continue
		}
		known = append(known, *requirement)
	}
	return known, err
}
