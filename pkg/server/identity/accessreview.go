package identity

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
)

// accessReview answers whether a client may do something.
type accessReview struct {
	clusterScoped
	authorizer authorizer.Authorizer
	// selectors is the feature AuthorizeWithSelectors. Without it, selectors are dropped, as
	// kube-apiserver does.
	selectors bool
}

// New implements rest.Storage.
func (accessReview) New() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} }

// GetSingularName implements rest.SingularNameProvider.
func (accessReview) GetSingularName() string { return "selfsubjectaccessreview" }

// Create answers a review.
func (r accessReview) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	review, ok := object.(*authorizationv1.SelfSubjectAccessReview)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("not a SelfSubjectAccessReview: %T", object))
	}
	if resource := review.Spec.ResourceAttributes; resource != nil && !r.selectors {
		resource.FieldSelector, resource.LabelSelector = nil, nil
	}
	if errs := validateAccessReview(review); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs) // kube-apiserver names no kind
	}
	who, err := admittedUser(ctx, object, validate)
	if err != nil {
		return nil, err
	}
	attributes := attributesOf(who, &review.Spec)
	decision, reason, err := r.authorizer.Authorize(ctx, attributes)
	review.Status = authorizationv1.SubjectAccessReviewStatus{
		Allowed:         decision == authorizer.DecisionAllow,
		Denied:          decision == authorizer.DecisionDeny,
		Reason:          reason,
		EvaluationError: evaluationError(err, attributes),
	}
	return review, nil
}

// evaluationError says what the decision could not take into account.
func evaluationError(err error, attributes authorizer.AttributesRecord) string {
	var found []string
	if err != nil {
		found = append(found, err.Error())
	}
	ignored := func(selector string, some bool, err error) {
		how := "ignored"
		if some {
			how = "partially ignored"
		}
		if err != nil {
			found = append(found, fmt.Sprintf("spec.resourceAttributes.%s %s due to parse error", selector, how))
		}
	}
	fields, err := attributes.GetFieldSelector()
	ignored("fieldSelector", len(fields) > 0, err)
	labels, err := attributes.GetLabelSelector()
	ignored("labelSelector", len(labels) > 0, err)
	return strings.Join(found, "; ")
}

// validateAccessReview returns kube-apiserver's errors, without Go values in their text.
func validateAccessReview(review *authorizationv1.SelfSubjectAccessReview) (errs field.ErrorList) {
	spec, path := review.Spec, field.NewPath("spec")
	switch {
	case spec.ResourceAttributes != nil && spec.NonResourceAttributes != nil:
		errs = append(errs, field.Invalid(path.Child("nonResourceAttributes"), field.OmitValueType{}, "cannot be specified in combination with resourceAttributes"))
	case spec.ResourceAttributes == nil && spec.NonResourceAttributes == nil:
		errs = append(errs, field.Invalid(path.Child("resourceAttributes"), spec.NonResourceAttributes, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if resource := spec.ResourceAttributes; resource != nil {
		path := path.Child("resourceAttributes")
		if selector := resource.FieldSelector; selector != nil {
			path := path.Child("fieldSelector")
			errs = append(errs, validateSelector(selector.RawSelector, len(selector.Requirements), path)...)
			for i, requirement := range selector.Requirements {
				options := metav1validation.FieldSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}
				errs = append(errs, metav1validation.ValidateFieldSelectorRequirement(requirement, options, path.Child("requirements").Index(i))...)
			}
		}
		if selector := resource.LabelSelector; selector != nil {
			path := path.Child("labelSelector")
			errs = append(errs, validateSelector(selector.RawSelector, len(selector.Requirements), path)...)
			for i, requirement := range selector.Requirements {
				options := metav1validation.LabelSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}
				errs = append(errs, metav1validation.ValidateLabelSelectorRequirement(requirement, options, path.Child("requirements").Index(i))...)
			}
		}
	}
	metadata := review.ObjectMeta
	metadata.ManagedFields = nil
	if !equality.Semantic.DeepEqual(metav1.ObjectMeta{}, metadata) {
		errs = append(errs, field.Invalid(field.NewPath("metadata"), field.OmitValueType{}, "must be empty"))
	}
	return errs
}

// validateSelector requires one of the two forms of a selector.
func validateSelector(raw string, requirements int, path *field.Path) field.ErrorList {
	switch {
	case raw != "" && requirements > 0:
		return field.ErrorList{field.Invalid(path.Child("rawSelector"), raw, "may not specified at the same time as requirements")}
	case raw == "" && requirements == 0:
		return field.ErrorList{field.Required(path.Child("requirements"), fmt.Sprintf("when %s is specified, requirements or rawSelector is required", path))}
	}
	return nil
}
