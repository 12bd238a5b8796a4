package server

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/configversion"
)

// metricsPath is where Prometheus scrapes.
const metricsPath = "/metrics"

// applyObservability sets up audit, traces and profiling.
func (s *Server) applyObservability(context.Context) error {
	if err := s.config.EgressSelector.ApplyTo(s.generic); err != nil {
		return fmt.Errorf("--egress-selector-config-file=%s: %w", s.config.EgressSelector.ConfigFile, configversion.Explain(err))
	}
	if err := s.applyTraces(); err != nil {
		return fmt.Errorf("--tracing-config-file=%s: %w", s.config.Traces.ConfigFile, configversion.Explain(err))
	}
	if err := s.applyAudit(); err != nil {
		return err
	}
	profiling := genericoptions.FeatureOptions{
		EnableProfiling:           s.config.Features.EnableProfiling,
		EnableContentionProfiling: s.config.Features.EnableContentionProfiling,
		DebugSocketPath:           s.config.Features.DebugSocketPath,
	}
	s.generic.EnableMetrics = false // installMetrics installs the route
	return profiling.ApplyTo(s.generic, nil, nil)
}

// applyTraces exports traces if a file is named.
func (s *Server) applyTraces() error {
	known, remove, err := configversion.KnownFile(s.config.Traces.ConfigFile)
	if err != nil {
		return err
	}
	defer remove()
	traces := genericoptions.TracingOptions{ConfigFile: known}
	if err := traces.ApplyTo(s.generic.EgressSelector, s.generic); err != nil {
		return err
	}
	s.generic.TracerProvider = boundedTracerProvider{s.generic.TracerProvider}
	return nil
}

// applyAudit names the flags: the library's error may not.
func (s *Server) applyAudit() error {
	options := s.config.Audit
	if err := options.ApplyTo(s.generic); err != nil {
		return fmt.Errorf("audit (--audit-policy-file=%s, --audit-log-path=%s, --audit-webhook-config-file=%s): %w",
			options.PolicyFile, options.LogOptions.Path, options.WebhookOptions.ConfigFile, err)
	}
	return nil
}

// installMetrics serves the metrics of the library, of this server, of the embedded etcd if
// there is one and, if flow control is enabled, of pkg/apf with them.
func (s *Server) installMetrics(context.Context) error {
	if err := s.metrics.Register(s.certificates); err != nil {
		return err
	}
	paths := s.apiserver.Handler.NonGoRestfulMux
	routes.DefaultMetrics{}.Install(paths)
	slis.SLIMetrics{}.Install(paths)
	if s.flowControl != nil {
		s.flowControl.InstallMetrics(paths)
		return s.flowControl.Registry().Register(s.metrics)
	}
	paths.Unregister(metricsPath)
	paths.Handle(metricsPath, metrics.HandlerFor(prometheus.Gatherers{legacyregistry.DefaultGatherer, s.metrics}, metrics.HandlerOpts{}))
	return nil
}
