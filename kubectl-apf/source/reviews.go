package source

import (
	"context"
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/utils/ptr"
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

// Critical implements Source.
func (withoutReviews) Critical(context.Context, Account) (string, error) {
	return "", ErrNoReviews
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

// criticalPriority is the lowest priority of the classes system-node-critical and system-cluster-critical, and the
// highest that other classes may have, such as longhorn-critical.
const criticalPriority = 1_000_000_000

// Critical implements Source.
func (c *cluster) Critical(ctx context.Context, account Account) (string, error) {
	front, _, err := c.front()
	if err != nil {
		return "", err
	}
	pods, err := listOf[corev1.PodList](ctx, front, "/api/v1/namespaces/"+account.Namespace+"/pods",
		metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.serviceAccountName", account.Name).String()})
	if err != nil {
		return "", requestError(front.name, access{verb: "list", resource: "pods", namespace: account.Namespace}, err)
	}
	for i := range pods {
		for j := range pods[i].Items {
			if pod := &pods[i].Items[j]; ptr.Deref(pod.Spec.Priority, 0) >= criticalPriority {
				return pod.Name, nil
			}
		}
	}
	return "", nil
}
