package controlplane

import (
	"context"
	"reflect"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Informers tells which kinds of objects were read.
type Informers interface {
	// WaitForCacheSync returns, once stop is closed, for each kind that is
	// followed whether it was read.
	WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool
}

// followed is a kind of objects of the cluster that admission goes by.
type followed struct {
	kind     any
	resource string
	list     func(context.Context, kubernetes.Interface, metav1.ListOptions) error
}

func followedKinds() []followed {
	return []followed{
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

// askInformers finds out why webhooks and policies were not read, if they were
// not.
func askInformers(ctx context.Context, client kubernetes.Interface, informers Informers) *Trouble {
	now := make(chan struct{})
	close(now)
	read := informers.WaitForCacheSync(now)
	missing := false
	for _, kind := range followedKinds() {
		synced, started := read[reflect.TypeOf(kind.kind)]
		if synced || !started {
			continue
		}
		missing = true
		if err := kind.list(ctx, client, metav1.ListOptions{Limit: 1}); err != nil {
			return refused(err, "we may not list the cluster's "+kind.resource+
				", which apply to our objects too: give our user the ClusterRole flowcontrol-apiserver:admission of artifacts/base")
		}
	}
	if missing {
		return &Trouble{Text: "the cluster's webhooks and policies are being read"}
	}
	return nil
}
