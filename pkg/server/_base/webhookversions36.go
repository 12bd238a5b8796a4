//go:build k8s0.36

package server

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission"
	webhookv1 "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/v1"
)

// webhookVersions add the versions of the configuration of webhooks to a scheme, without
// v1alpha1, which is gone in k8s.io 0.36. The library of that release reads the configuration
// strictly, so that this file and its use can go when go.mod requires it.
func webhookVersions() []func(*runtime.Scheme) error {
	return []func(*runtime.Scheme) error{webhookadmission.AddToScheme, webhookv1.AddToScheme}
}
