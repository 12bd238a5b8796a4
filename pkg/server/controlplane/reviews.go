package controlplane

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const bindDelegator = ": bind the ClusterRole system:auth-delegator to our user"

// askTokenReview asks about no token at all. Who may ask is told that one is
// missing, and nobody's token is looked at.
func askTokenReview(ctx context.Context, client kubernetes.Interface) *Trouble {
	_, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{}, metav1.CreateOptions{})
	if err == nil || apierrors.IsBadRequest(err) {
		return nil
	}
	return refused(err, "we may not ask who the bearer of a token is"+bindDelegator)
}

// askAccessReview asks something that does not matter.
func askAccessReview(ctx context.Context, client kubernetes.Interface) *Trouble {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:                  "system:anonymous",
		Groups:                []string{"system:unauthenticated"},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/readyz", Verb: "get"},
	}}
	_, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	return refused(err, "we may not ask what users may do, so that all requests are refused"+bindDelegator)
}
