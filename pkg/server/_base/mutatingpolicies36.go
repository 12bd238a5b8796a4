//go:build k8s0.36

package server

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/features"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/component-base/featuregate"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

// mutatingPolicies prepares the library's plug-in, which is on by default since k8s.io 0.36, for
// clusters that do not have the policies. It moves out of this folder when go.mod requires that
// release, and can go when no supported kube-apiserver is older than 1.36 and the library continues
// without policies that it may not read.
func (p *kubeAPIServer) mutatingPolicies(options *genericoptions.AdmissionOptions, gate featuregate.FeatureGate) ([]admission.PluginInitializer, error) {
	if !gate.Enabled(features.MutatingAdmissionPolicy) || slices.Contains(options.DisablePlugins, mutatingpolicy.PluginName) {
		return nil, nil
	}
	factory := informers.NewSharedInformerFactory(p.client, 0)
	resources := factory.Admissionregistration().V1()
	policies, bindings := resources.MutatingAdmissionPolicies().Informer(), resources.MutatingAdmissionPolicyBindings().Informer()
	if err := policies.SetTransform(withoutOtherMutations); err != nil {
		return nil, err
	}
	p.mutating = &kubeapiserver.MutatingPolicies{
		Start:  factory.Start,
		Synced: func() bool { return policies.HasSynced() && bindings.HasSynced() },
	}
	options.Decorators = append(options.Decorators, admission.DecoratorFunc(p.skipping))
	return []admission.PluginInitializer{separateInformers{p.informers, factory}}, nil
}

// skipping lets writes continue without the policies while they are skipped.
func (p *kubeAPIServer) skipping(plugin admission.Interface, name string) admission.Interface {
	if mutator, ok := plugin.(admission.MutationInterface); ok && name == mutatingpolicy.PluginName {
		return skippable{mutator, p.mutating.Skipped}
	}
	return plugin
}

type skippable struct {
	admission.MutationInterface
	skipped func() bool
}

// Admit implements admission.MutationInterface.
func (s skippable) Admit(ctx context.Context, attributes admission.Attributes, objects admission.ObjectInterfaces) error {
	if s.skipped() {
		return nil
	}
	return s.MutationInterface.Admit(ctx, attributes, objects)
}

// separateInformers gives the plug-in informers of policies for which readiness does not wait,
// and all others, such as of namespaces, from the shared factory.
type separateInformers struct {
	informers.SharedInformerFactory
	policies informers.SharedInformerFactory
}

// Admissionregistration implements informers.SharedInformerFactory.
func (s separateInformers) Admissionregistration() admissionregistration.Interface {
	return s.policies.Admissionregistration()
}

// Initialize implements admission.PluginInitializer.
func (s separateInformers) Initialize(plugin admission.Interface) {
	if mutating, ok := plugin.(*mutatingpolicy.Plugin); ok {
		mutating.SetExternalKubeInformerFactory(s)
	}
}

// withoutOtherMutations does what ForgetOtherPolicies does, for mutating policies.
func withoutOtherMutations(object any) (any, error) {
	policy, ok := object.(*admissionregistrationv1.MutatingAdmissionPolicy)
	if !ok {
		return object, nil
	}
	policy.ManagedFields = nil
	if !kubeapiserver.MayMatch(policy.Spec.MatchConstraints) {
		policy.Annotations = nil
		policy.Spec = admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: policy.Spec.MatchConstraints, FailurePolicy: policy.Spec.FailurePolicy, ReinvocationPolicy: policy.Spec.ReinvocationPolicy,
		}
	}
	return policy, nil
}
