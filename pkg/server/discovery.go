package server

import (
	"context"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
)

// installCoreVersion adds the core version v1, with no resources, to discovery.
// kubectl applies and edits several objects in one document as a List of v1, which
// it refuses if the server does not list the version.
func (s *Server) installCoreVersion(context.Context) error {
	codecs := s.codecs
	versions := s.apiserver.AggregatedLegacyDiscoveryGroupManager
	versions.AddGroupVersion(corev1.GroupName, apidiscoveryv2.APIVersionDiscovery{
		Version:   corev1.SchemeGroupVersion.Version,
		Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent,
	})
	addresses := discovery.DefaultAddresses{DefaultAddress: s.generic.ExternalAddress}
	nothing := discovery.APIResourceListerFunc(func() []metav1.APIResource { return []metav1.APIResource{} })
	mux := s.apiserver.Handler.NonGoRestfulMux
	mux.Handle("/api", aggregated.WrapAggregatedDiscoveryToHandler(discovery.NewLegacyRootAPIHandler(addresses, codecs, "/api"), versions))
	mux.Handle("/api/v1", discovery.NewAPIVersionHandler(codecs, corev1.SchemeGroupVersion, nothing))
	return nil
}
