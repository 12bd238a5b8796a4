package server

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"

	apfmetrics "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/metrics"
)

// installMetrics serves the metrics of the library and of pkg/apf together. The
// library registers flow-control metrics of the same names, which stay empty; they
// are left out.
func (s *Server) installMetrics(context.Context) error {
	registerLibraryMetrics()
	own, replaced := prometheus.NewRegistry(), []string(nil)
	if flowControl := s.flowControl; flowControl != nil {
		engine, kinds := flowControl.Collector(), apfmetrics.NewKindCollector(flowControl.kinds)
		if err := errors.Join(own.Register(engine), own.Register(kinds), own.Register(flowControl.FlowCollector()), own.Register(flowControl.TotalCollector())); err != nil {
			return err
		}
		replaced = append(engine.Names(), kinds.Names()...)
	}
	paths := s.apiserver.Handler.NonGoRestfulMux
	paths.Handle("/metrics", apfmetrics.Handler(legacyregistry.DefaultGatherer, own, replaced, metrics.HandlerOpts{}))
	slis.SLIMetrics{}.Install(paths)
	return nil
}

// registerLibraryMetrics makes the library register its metrics, which it does when
// it installs a route. That route is not served.
func registerLibraryMetrics() {
	routes.DefaultMetrics{}.Install(mux.NewPathRecorderMux("unused"))
}
