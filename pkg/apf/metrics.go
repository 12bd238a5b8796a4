package apf

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/apiserver/pkg/server/mux"
	componentmetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/metrics"
)

const metricsPath = "/metrics"

// exports are the metrics of a FlowControl.
type exports struct {
	registry *prometheus.Registry
	// replaced are the families of the registry that k8s.io/apiserver has too.
	replaced []string
}

func (f *FlowControl) registerMetrics() {
	library := metrics.NewCollector(f.engine.Report)
	f.metrics.registry = prometheus.NewRegistry()
	f.metrics.registry.MustRegister(library, metrics.NewFlowCollector(f.engine.FlowFigures),
		metrics.NewTotalCollector(f.TotalStatus), metrics.NewConfigurationCollector(f.ConfigurationStatus))
	f.metrics.replaced = library.Names()
}

// Registry returns the registry that has the metrics of this FlowControl, for servers that do not
// serve the metrics of k8s.io/apiserver.
func (f *FlowControl) Registry() *prometheus.Registry { return f.metrics.registry }

// InstallMetrics makes the path /metrics serve the metrics of the Registry and of k8s.io/apiserver,
// without the families that the Registry replaces. It replaces the route that the server has at
// this path, if any. In a GenericAPIServer, paths is Handler.NonGoRestfulMux.
func (f *FlowControl) InstallMetrics(paths *mux.PathRecorderMux) {
	paths.Unregister(metricsPath)
	paths.Handle(metricsPath, componentmetrics.HandlerFor(prometheus.GathererFunc(f.gather), componentmetrics.HandlerOpts{}))
}

// gather gathers what InstallMetrics serves.
func (f *FlowControl) gather() ([]*dto.MetricFamily, error) {
	return metrics.Union(legacyregistry.DefaultGatherer, f.metrics.registry, f.metrics.replaced).Gather()
}
