package apf

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	componentmetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/metrics"
)

const metricsPath = "/metrics"

func (f *FlowControl) registerMetrics() {
	f.library = metrics.NewCollector(f.engine.Report)
	f.registry = prometheus.NewRegistry()
	f.registry.MustRegister(f.library, metrics.NewFlowCollector(f.engine.FlowFigures),
		metrics.NewTotalCollector(f.TotalStatus), metrics.NewConfigurationCollector(f.ConfigurationStatus))
}

// Registry returns the registry that has the metrics of this FlowControl, for servers that do not
// serve the metrics of k8s.io/apiserver.
func (f *FlowControl) Registry() *prometheus.Registry { return f.registry }

// InstallMetrics makes the path /metrics serve the metrics of the Registry and of k8s.io/apiserver,
// without the families that the Registry replaces. It replaces the route that the server has at
// this path, if any. In a GenericAPIServer, paths is Handler.NonGoRestfulMux.
func (f *FlowControl) InstallMetrics(paths *mux.PathRecorderMux) {
	paths.Unregister(metricsPath)
	paths.Handle(metricsPath, componentmetrics.HandlerFor(
		metrics.Union(legacyregistry.DefaultGatherer, f.registry, f.library.Names()), componentmetrics.HandlerOpts{}))
}
