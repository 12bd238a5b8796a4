package server

import (
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
)

// installCoreVersion lists the core version v1, without a resource, in
// discovery. Several objects in one document are a List of it, which kubectl
// applies and edits only on a server that lists the version.
func (s *Server) installCoreVersion() {
	codecs := s.config.codecs
	versions := s.generic.AggregatedLegacyDiscoveryGroupManager
	versions.AddGroupVersion(corev1.GroupName, apidiscoveryv2.APIVersionDiscovery{
		Version:   corev1.SchemeGroupVersion.Version,
		Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent,
	})
	addresses := discovery.DefaultAddresses{DefaultAddress: s.config.generic.ExternalAddress}
	nothing := discovery.APIResourceListerFunc(func() []metav1.APIResource { return []metav1.APIResource{} })
	mux := s.generic.Handler.NonGoRestfulMux
	mux.Handle("/api", aggregated.WrapAggregatedDiscoveryToHandler(discovery.NewLegacyRootAPIHandler(addresses, codecs, "/api"), versions))
	mux.Handle("/api/v1", discovery.NewAPIVersionHandler(codecs, corev1.SchemeGroupVersion, nothing))
}
