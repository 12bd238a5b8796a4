package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"

	apfmetrics "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/metrics"
)

// installMetrics serves the families of the library and those of the engine
// together. The library registers families of the engine's names too; its own
// route would serve these, empty.
func (s *Server) installMetrics() error {
	registerLibraryMetrics()
	own, replaced := prometheus.NewRegistry(), []string(nil)
	if flowControl := s.config.flowControl; flowControl != nil {
		collector := flowControl.Collector()
		if err := own.Register(collector); err != nil {
			return err
		}
		replaced = collector.Names()
	}
	paths := s.generic.Handler.NonGoRestfulMux
	paths.Handle("/metrics", apfmetrics.Handler(legacyregistry.DefaultGatherer, own, replaced, metrics.HandlerOpts{}))
	slis.SLIMetrics{}.Install(paths)
	return nil
}

// registerLibraryMetrics makes the library register its families, which it does
// only when it installs its own route; that one goes nowhere.
func registerLibraryMetrics() {
	routes.DefaultMetrics{}.Install(mux.NewPathRecorderMux("unused"))
}
