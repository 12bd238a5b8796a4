package kubeapiserver

import (
	"context"
	"reflect"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const bindDelegator = ": bind the ClusterRole system:auth-delegator to this server's user"

// checkTokenReview creates a TokenReview without a token. kube-apiserver answers
// that the token is missing if this server may create one.
func checkTokenReview(ctx context.Context, client kubernetes.Interface) *failure {
	_, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{}, metav1.CreateOptions{})
	if apierrors.IsBadRequest(err) {
		return nil
	}
	return explain(err, "this server is not allowed to create TokenReviews"+bindDelegator)
}

// checkAccessReview creates a SubjectAccessReview whose result does not matter.
func checkAccessReview(ctx context.Context, client kubernetes.Interface) *failure {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:                  "system:anonymous",
		Groups:                []string{"system:unauthenticated"},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/readyz", Verb: "get"},
	}}
	_, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	return explain(err, "this server is not allowed to create SubjectAccessReviews, and rejects all requests"+bindDelegator)
}

// Informers inform of the objects that admission depends on.
type Informers interface {
	// WaitForCacheSync returns, once stop is closed, whether each started informer
	// has synced, by the type of its objects.
	WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool
}

// admissionResource is a resource of the cluster that admission depends on.
type admissionResource struct {
	kind        any
	api, plural string
}

func admissionResources() []admissionResource {
	const registration = "/apis/admissionregistration.k8s.io/v1"
	return []admissionResource{
		{&corev1.Namespace{}, "/api/v1", "namespaces"},
		{&admissionregistrationv1.MutatingWebhookConfiguration{}, registration, "mutatingwebhookconfigurations"},
		{&admissionregistrationv1.ValidatingWebhookConfiguration{}, registration, "validatingwebhookconfigurations"},
		{&admissionregistrationv1.ValidatingAdmissionPolicy{}, registration, "validatingadmissionpolicies"},
		{&admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, registration, "validatingadmissionpolicybindings"},
	}
}

// mayList returns the error of a list of one object.
func mayList(ctx context.Context, client rest.Interface, api, plural string) error {
	return client.Get().AbsPath(api, plural).Param("limit", "1").Do(ctx).Error()
}

// checkAdmission finds out why an informer has not synced. Informers do not expose
// the errors of their requests, so it sends one like theirs.
func checkAdmission(ctx context.Context, client kubernetes.Interface, informers Informers) *failure {
	now := make(chan struct{})
	close(now)
	synced := informers.WaitForCacheSync(now)
	waiting := false
	for _, resource := range admissionResources() {
		done, started := synced[reflect.TypeOf(resource.kind)]
		if done || !started {
			continue
		}
		waiting = true
		if err := mayList(ctx, client.Discovery().RESTClient(), resource.api, resource.plural); err != nil {
			return explain(err, "this server is not allowed to list the cluster's "+resource.plural+
				", which admission depends on: bind the ClusterRole flowcontrol-apiserver:admission of artifacts/base to this server's user")
		}
	}
	if waiting {
		return &failure{message: "the cluster's webhooks and policies have not been read yet", pending: true}
	}
	return nil
}
