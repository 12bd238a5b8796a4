//go:build !k8s0.36

package server

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission"
	webhookv1 "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/v1"
	webhookv1alpha1 "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/v1alpha1"
)

// webhookVersions add the versions of the configuration of webhooks to a scheme. v1alpha1 is
// gone in k8s.io 0.36. This file can go when go.mod requires k8s.io 0.36.
func webhookVersions() []func(*runtime.Scheme) error {
	return []func(*runtime.Scheme) error{webhookadmission.AddToScheme, webhookv1.AddToScheme, webhookv1alpha1.AddToScheme}
}
