//go:build k8s0.35

package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/flagz"
	"k8s.io/apiserver/pkg/server/mux"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/statusz"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/compatibility"
	zpagesfeatures "k8s.io/component-base/zpages/features"
)

// What follows has other signatures since k8s.io 0.35. It moves to where it is used when
// go.mod requires it.

// apply puts the cluster's webhooks and policies before each write.
func (p *kubeAPIServer) apply(admission *genericoptions.AdmissionOptions, c *genericapiserver.Config) error {
	initializers, err := p.mutatingPolicies(admission, c.FeatureGate)
	if err != nil {
		return err
	}
	return admission.ApplyTo(c, p.informers, p.client, p.dynamic, c.FeatureGate, c.EffectiveVersion, initializers...)
}

// aggregatedDiscovery answers with all versions to those who ask for them. This server has
// no peers.
func aggregatedDiscovery(plain http.Handler, all aggregated.ResourceManager) *aggregated.WrappedHandler {
	return aggregated.WrapAggregatedDiscoveryToHandler(plain, all, all)
}

// measureSizes returns nothing: since 0.34 the library measures the objects of its watch caches, and has
// the metric.
func measureSizes(_, _ cache.SharedIndexInformer) (func(string) int64, []prometheus.Collector, error) {
	return nil, nil, nil
}

func installStatusz(paths *mux.PathRecorderMux, version compatibility.EffectiveVersion) {
	if utilfeature.DefaultFeatureGate.Enabled(zpagesfeatures.ComponentStatusz) {
		return // the library serves it
	}
	statusz.Install(paths, componentName, statusz.NewRegistry(version))
}

func installFlagz(paths *mux.PathRecorderMux, flags flagz.Reader) {
	flagz.Install(paths, componentName, flags)
}

func flagValues(sets cliflag.NamedFlagSets) map[string]string {
	return flagz.NamedFlagSetsReader{FlagSets: sets}.GetFlagz()
}
