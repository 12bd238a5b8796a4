//go:build !k8s0.35

package server

import (
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/zpages/flagz"
	"k8s.io/component-base/zpages/statusz"
)

// What follows has other signatures in k8s.io 0.35. This file can go when go.mod requires it.

// apply puts the cluster's webhooks and policies before each write.
func (p *kubeAPIServer) apply(admission *genericoptions.AdmissionOptions, c *genericapiserver.Config) error {
	initializers, err := p.mutatingPolicies(admission, c.FeatureGate)
	if err != nil {
		return err
	}
	return admission.ApplyTo(c, p.informers, p.client, p.dynamic, c.FeatureGate, initializers...)
}

// aggregatedDiscovery answers with all versions to those who ask for them.
func aggregatedDiscovery(plain http.Handler, all aggregated.ResourceManager) *aggregated.WrappedHandler {
	return aggregated.WrapAggregatedDiscoveryToHandler(plain, all)
}

func installStatusz(paths *mux.PathRecorderMux, version compatibility.EffectiveVersion) {
	statusz.Install(paths, componentName, statusz.NewRegistry(version))
}

func installFlagz(paths *mux.PathRecorderMux, flags flagz.Reader) {
	flagz.Install(paths, componentName, flags)
}

func flagValues(sets cliflag.NamedFlagSets) map[string]string {
	return flagz.NamedFlagSetsReader{FlagSets: sets}.GetFlagz()
}
