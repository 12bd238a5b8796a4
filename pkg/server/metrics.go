package server

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"

	apfmetrics "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/metrics"
)

// installMetrics serves the families of the library and those of flow control
// together. The library registers families of the same names too; its own
// route would serve these, empty.
func (s *Server) installMetrics() error {
	registerLibraryMetrics()
	own, replaced := prometheus.NewRegistry(), []string(nil)
	if flowControl := s.config.flowControl; flowControl != nil {
		engine, kinds := flowControl.Collector(), apfmetrics.NewKindCollector(flowControl.kinds)
		if err := errors.Join(own.Register(engine), own.Register(kinds)); err != nil {
			return err
		}
		replaced = append(engine.Names(), kinds.Names()...)
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
