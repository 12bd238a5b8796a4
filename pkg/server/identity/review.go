package identity

import (
	"cmp"
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// selfReview is the storage of one type of self-review. It stores nothing.
type selfReview[T runtime.Object] struct {
	singular string
	empty    func() T
	// validate is called before admission.
	validate func(review T) error
	// answer completes a review of a user.
	answer func(ctx context.Context, who user.Info, review T)
}

// reviewStorage are the capabilities of each storage.
type reviewStorage interface {
	rest.Storage
	rest.Scoper
	rest.Creater //nolint:misspell // the library's name
	rest.SingularNameProvider
}

var _ reviewStorage = selfReview[*authenticationv1.SelfSubjectReview]{}

// New implements rest.Storage.
func (r selfReview[T]) New() runtime.Object { return r.empty() }

// Destroy implements rest.Storage.
func (selfReview[T]) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (selfReview[T]) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (r selfReview[T]) GetSingularName() string { return r.singular }

// Create answers a review that admission allows.
func (r selfReview[T]) Create(ctx context.Context, object runtime.Object, admit rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	review, ok := object.(T)
	if !ok {
		return nil, apierrors.NewBadRequest("not a " + r.singular)
	}
	if err := r.validate(review); err != nil {
		return nil, err
	}
	who, ok := request.UserFrom(ctx)
	if !ok {
		return nil, apierrors.NewBadRequest("no user present on request")
	}
	if admit != nil {
		if err := admit(ctx, object.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	r.answer(ctx, who, review)
	return review, nil
}

// subjectReviews answer who a client is.
func subjectReviews() selfReview[*authenticationv1.SelfSubjectReview] {
	return selfReview[*authenticationv1.SelfSubjectReview]{
		singular: "selfsubjectreview",
		empty:    func() *authenticationv1.SelfSubjectReview { return &authenticationv1.SelfSubjectReview{} },
		validate: func(*authenticationv1.SelfSubjectReview) error { return nil },
		answer: func(_ context.Context, who user.Info, review *authenticationv1.SelfSubjectReview) {
			extra := make(map[string]authenticationv1.ExtraValue, len(who.GetExtra()))
			for key, values := range who.GetExtra() {
				extra[key] = values
			}
			*review = authenticationv1.SelfSubjectReview{
				ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Now()},
				Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{
					Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups(), Extra: extra,
				}},
			}
		},
	}
}

// accessReviews answer whether a client may do something. Selectors are dropped, as by a
// kube-apiserver without AuthorizeWithSelectors: the question is wider, and its answer stricter.
func accessReviews(decides authorizer.Authorizer) selfReview[*authorizationv1.SelfSubjectAccessReview] {
	return selfReview[*authorizationv1.SelfSubjectAccessReview]{
		singular: "selfsubjectaccessreview",
		empty:    func() *authorizationv1.SelfSubjectAccessReview { return &authorizationv1.SelfSubjectAccessReview{} },
		validate: validateAccessReview,
		answer: func(ctx context.Context, who user.Info, review *authorizationv1.SelfSubjectAccessReview) {
			decision, reason, err := decides.Authorize(ctx, attributesOf(who, &review.Spec))
			review.Status = authorizationv1.SubjectAccessReviewStatus{
				Allowed: decision == authorizer.DecisionAllow, Denied: decision == authorizer.DecisionDeny, Reason: reason,
			}
			if err != nil {
				review.Status.EvaluationError = err.Error()
			}
		},
	}
}

// attributesOf returns the request that a valid review asks about.
func attributesOf(who user.Info, spec *authorizationv1.SelfSubjectAccessReviewSpec) authorizer.AttributesRecord {
	if path := spec.NonResourceAttributes; path != nil {
		return authorizer.AttributesRecord{User: who, Path: path.Path, Verb: path.Verb}
	}
	resource := spec.ResourceAttributes
	resource.FieldSelector, resource.LabelSelector = nil, nil
	return authorizer.AttributesRecord{
		User: who, Verb: resource.Verb, Namespace: resource.Namespace, APIGroup: resource.Group, APIVersion: cmp.Or(resource.Version, "*"),
		Resource: resource.Resource, Subresource: resource.Subresource, Name: resource.Name, ResourceRequest: true,
	}
}

// validateAccessReview returns kube-apiserver's errors, without Go values in their text.
func validateAccessReview(review *authorizationv1.SelfSubjectAccessReview) error {
	var errs field.ErrorList
	spec, path := review.Spec, field.NewPath("spec")
	switch {
	case spec.ResourceAttributes != nil && spec.NonResourceAttributes != nil:
		errs = append(errs, field.Invalid(path.Child("nonResourceAttributes"), field.OmitValueType{}, "cannot be specified in combination with resourceAttributes"))
	case spec.ResourceAttributes == nil && spec.NonResourceAttributes == nil:
		errs = append(errs, field.Invalid(path.Child("resourceAttributes"), spec.NonResourceAttributes, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	metadata := review.ObjectMeta
	metadata.ManagedFields = nil
	if !equality.Semantic.DeepEqual(metav1.ObjectMeta{}, metadata) {
		errs = append(errs, field.Invalid(field.NewPath("metadata"), field.OmitValueType{}, "must be empty"))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs) // kube-apiserver names no kind
}

// rulesReviews answer what a client may do.
func rulesReviews(rules authorizer.RuleResolver) selfReview[*authorizationv1.SelfSubjectRulesReview] {
	return selfReview[*authorizationv1.SelfSubjectRulesReview]{
		singular: "selfsubjectrulesreview",
		empty:    func() *authorizationv1.SelfSubjectRulesReview { return &authorizationv1.SelfSubjectRulesReview{} },
		validate: func(review *authorizationv1.SelfSubjectRulesReview) error {
			if review.Spec.Namespace == "" {
				return apierrors.NewBadRequest("no namespace on request")
			}
			return nil
		},
		answer: func(ctx context.Context, who user.Info, review *authorizationv1.SelfSubjectRulesReview) {
			resources, paths, incomplete, err := rules.RulesFor(ctx, who, review.Spec.Namespace)
			status := authorizationv1.SubjectRulesReviewStatus{
				ResourceRules: make([]authorizationv1.ResourceRule, 0, len(resources)), NonResourceRules: make([]authorizationv1.NonResourceRule, 0, len(paths)),
				Incomplete: incomplete,
			}
			for _, rule := range resources {
				status.ResourceRules = append(status.ResourceRules, authorizationv1.ResourceRule{
					Verbs: rule.GetVerbs(), APIGroups: rule.GetAPIGroups(), Resources: rule.GetResources(), ResourceNames: rule.GetResourceNames(),
				})
			}
			for _, rule := range paths {
				status.NonResourceRules = append(status.NonResourceRules, authorizationv1.NonResourceRule{Verbs: rule.GetVerbs(), NonResourceURLs: rule.GetNonResourceURLs()})
			}
			if err != nil {
				status.EvaluationError = err.Error()
			}
			*review = authorizationv1.SelfSubjectRulesReview{Status: status}
		},
	}
}
