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
)

const bindDelegator = ": bind the ClusterRole system:auth-delegator to this server's user"

// checkTokenReview creates a TokenReview without a token. kube-apiserver answers
// that the token is missing if this server may create one.
func checkTokenReview(ctx context.Context, client kubernetes.Interface) *failure {
	_, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{}, metav1.CreateOptions{})
	if err == nil || apierrors.IsBadRequest(err) {
		return nil
	}
	return answerFailure(err, "this server is not allowed to create TokenReviews"+bindDelegator)
}

// checkAccessReview creates a SubjectAccessReview whose result does not matter.
func checkAccessReview(ctx context.Context, client kubernetes.Interface) *failure {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:                  "system:anonymous",
		Groups:                []string{"system:unauthenticated"},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/readyz", Verb: "get"},
	}}
	_, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	return answerFailure(err, "this server is not allowed to create SubjectAccessReviews, and rejects all requests"+bindDelegator)
}

// Informers inform of the objects that admission depends on.
type Informers interface {
	// WaitForCacheSync returns, once stop is closed, whether each started informer
	// has synced, by the type of its objects.
	WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool
}

// admissionResource is a resource of the cluster that admission depends on.
type admissionResource struct {
	kind     any
	resource string
	list     func(context.Context, kubernetes.Interface, metav1.ListOptions) error
}

func admissionResources() []admissionResource {
	return []admissionResource{
		{&corev1.Namespace{}, "namespaces", func(ctx context.Context, client kubernetes.Interface, options metav1.ListOptions) error {
			_, err := client.CoreV1().Namespaces().List(ctx, options)
			return err
		}},
		{&admissionregistrationv1.MutatingWebhookConfiguration{}, "mutatingwebhookconfigurations", func(ctx context.Context, client kubernetes.Interface, options metav1.ListOptions) error {
			_, err := client.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, options)
			return err
		}},
		{&admissionregistrationv1.ValidatingWebhookConfiguration{}, "validatingwebhookconfigurations", func(ctx context.Context, client kubernetes.Interface, options metav1.ListOptions) error {
			_, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, options)
			return err
		}},
		{&admissionregistrationv1.ValidatingAdmissionPolicy{}, "validatingadmissionpolicies", func(ctx context.Context, client kubernetes.Interface, options metav1.ListOptions) error {
			_, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().List(ctx, options)
			return err
		}},
		{&admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, "validatingadmissionpolicybindings", func(ctx context.Context, client kubernetes.Interface, options metav1.ListOptions) error {
			_, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().List(ctx, options)
			return err
		}},
	}
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
		if err := resource.list(ctx, client, metav1.ListOptions{Limit: 1}); err != nil {
			return answerFailure(err, "this server is not allowed to list the cluster's "+resource.resource+
				", which admission depends on: bind the ClusterRole flowcontrol-apiserver:admission of artifacts/base to this server's user")
		}
	}
	if waiting {
		return &failure{message: "the cluster's webhooks and policies have not been read yet"}
	}
	return nil
}
