//go:build !k8s0.36

package server

import (
	"k8s.io/apiserver/pkg/admission"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/component-base/featuregate"
)

// mutatingPolicies returns nothing: the library has mutating policies by default since k8s.io
// 0.36. This file can go when go.mod requires it.
func (*kubeAPIServer) mutatingPolicies(*genericoptions.AdmissionOptions, featuregate.FeatureGate) ([]admission.PluginInitializer, error) {
	return nil, nil
}
