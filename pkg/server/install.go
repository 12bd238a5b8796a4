package server

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/routes"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"
)

// metricsPath is where Prometheus scrapes.
const metricsPath = "/metrics"

// installAPI serves the API, and health, the flags and what they depend on beside it.
func installAPI(c CompletedConfig, apiserver *genericapiserver.GenericAPIServer, generic *genericapiserver.Config, own ownObjects, stored *stored) error {
	paths := apiserver.Handler.NonGoRestfulMux
	// Kubernetes has these paths since 1.36 without a gate, for those who may get them.
	installStatusz(paths, generic.EffectiveVersion)
	if len(c.FlagSets.FlagSets) > 0 {
		installFlagz(paths, shownFlags(c.FlagSets))
	}
	// As in kube-apiserver, and left out of /livez, since without etcd a restart would not help.
	paths.HandleFunc("/livez/"+etcdCheck, func(w http.ResponseWriter, r *http.Request) {
		if err := stored.available.Check(r); err != nil {
			http.Error(w, fmt.Sprintf("internal server error: %v", err), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, "ok")
	})
	installDiscovery(apiserver, serializer.NewCodecFactory(c.scheme))
	if err := installAPIGroup(c, apiserver, generic, own); err != nil {
		return err
	}
	if err := installSelfReviews(apiserver, generic); err != nil {
		return err
	}
	if !generic.FeatureGate.Enabled(features.WatchCacheInitializationPostStartHook) {
		return nil
	}
	// Readiness waits until the watch caches are initialized, for --storage-initialization-timeout.
	return apiserver.AddPostStartHook("storage-readiness", apiserver.StorageReadinessHook.Hook)
}

// installMetrics serves the metrics of the library, of the collectors and, if flow control is
// enabled, of pkg/apf with them.
func installMetrics(apiserver *genericapiserver.GenericAPIServer, flowControl *flowControl, collectors []prometheus.Collector) error {
	own := prometheus.NewRegistry()
	for _, collector := range collectors {
		if err := own.Register(collector); err != nil {
			return err
		}
	}
	paths := apiserver.Handler.NonGoRestfulMux
	routes.DefaultMetrics{}.Install(paths)
	slis.SLIMetrics{}.Install(paths)
	if flowControl != nil {
		flowControl.InstallMetrics(paths)
		return flowControl.Registry().Register(own)
	}
	paths.Unregister(metricsPath)
	paths.Handle(metricsPath, metrics.HandlerFor(prometheus.Gatherers{legacyregistry.DefaultGatherer, own}, metrics.HandlerOpts{}))
	return nil
}

// shownFlags are flags without the users and passwords of URLs.
type shownFlags cliflag.NamedFlagSets

// GetFlagz implements flagz.Reader.
func (f shownFlags) GetFlagz() map[string]string {
	userInfo := regexp.MustCompile(`://[^/@\s,]*@`)
	shown := flagValues(cliflag.NamedFlagSets(f))
	for name, value := range shown {
		shown[name] = userInfo.ReplaceAllString(value, "://REDACTED@")
	}
	return shown
}
