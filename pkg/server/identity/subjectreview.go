package identity

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// subjectReview answers who a client is.
type subjectReview struct{ clusterScoped }

// New implements rest.Storage.
func (subjectReview) New() runtime.Object { return &authenticationv1.SelfSubjectReview{} }

// GetSingularName implements rest.SingularNameProvider.
func (subjectReview) GetSingularName() string { return "selfsubjectreview" }

// Create answers a review.
func (subjectReview) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	who, err := admittedUser(ctx, object, validate)
	if err != nil {
		return nil, err
	}
	extra := make(map[string]authenticationv1.ExtraValue, len(who.GetExtra()))
	for key, values := range who.GetExtra() {
		extra[key] = values
	}
	return &authenticationv1.SelfSubjectReview{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Now()},
		Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{
			Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups(), Extra: extra,
		}},
	}, nil
}

// admittedUser returns the client of a review that admission allows.
func admittedUser(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc) (user.Info, error) {
	who, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return nil, apierrors.NewBadRequest("no user present on request")
	}
	if validate != nil {
		if err := validate(ctx, object.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	return who, nil
}
