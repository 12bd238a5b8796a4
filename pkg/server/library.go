//go:build !k8s0.35

package server

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
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

// collectors returns the metric of the size of the stored objects of each type, as
// kube-apiserver has it since 1.34. Costs by size cannot be explained without it.
func (s storedSizes) collectors() (all []prometheus.Collector) {
	for groupResource, sizes := range s {
		resource, group, _ := strings.Cut(groupResource, ".")
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "apiserver_resource_size_estimate_bytes",
			Help:        "[ALPHA] Size of the stored objects, as serialized",
			ConstLabels: prometheus.Labels{"group": group, "resource": resource},
		}, func() float64 { return float64(sizes.total.Load()) }))
	}
	return all
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
