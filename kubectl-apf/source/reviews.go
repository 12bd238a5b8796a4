package source

import (
	"context"
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

// Account is a service account.
type Account struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String returns NAMESPACE/NAME.
func (a Account) String() string { return a.Namespace + "/" + a.Name }

// User returns the user that the account is.
func (a Account) User() string { return serviceaccount.MakeUsername(a.Namespace, a.Name) }

// ErrNoReviews means that no API server can be asked what somebody may do.
var ErrNoReviews = errors.New("no API server is asked")

// withoutReviews is a base without an API server.
type withoutReviews struct{}

// May implements Source.
func (withoutReviews) May(context.Context, Account, authorizationv1.ResourceAttributes) (bool, error) {
	return false, ErrNoReviews
}

// May implements Source. The API server's authorizers answer, whatever they are.
func (c *cluster) May(ctx context.Context, account Account, what authorizationv1.ResourceAttributes) (bool, error) {
	front, config, err := c.front()
	if err != nil {
		return false, err
	}
	reviewer, err := authorizationclient.NewForConfig(config)
	if err != nil {
		return false, sentence("The kubeconfig is invalid: %s.", oneSentence(err))
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	review, err := reviewer.SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: account.User(), Groups: append(serviceaccount.MakeGroupNames(account.Namespace), user.AllAuthenticated), ResourceAttributes: &what,
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, requestError(front.name, access{verb: "create", resource: "subjectaccessreviews.authorization.k8s.io"}, err)
	}
	return review.Status.Allowed, nil
}
