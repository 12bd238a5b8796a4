package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/server/mux"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/slis"

	apfmetrics "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/metrics"
)

// applyObservability sets up audit, traces and profiling.
func (s *Server) applyObservability(context.Context) error {
	if err := s.config.EgressSelector.ApplyTo(s.generic); err != nil {
		return fmt.Errorf("--egress-selector-config-file: %w", err)
	}
	if err := s.config.Traces.ApplyTo(s.generic.EgressSelector, s.generic); err != nil {
		return fmt.Errorf("--tracing-config-file=%s: %w", s.config.Traces.ConfigFile, err)
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

// applyAudit reads the files first, since the library's errors do not name the flags.
func (s *Server) applyAudit() error {
	options := s.config.Audit
	if file := options.PolicyFile; file != "" {
		if _, err := policy.LoadPolicyFromFile(file); err != nil {
			return fmt.Errorf("--audit-policy-file=%s: %w", file, err)
		}
	}
	if file := options.WebhookOptions.ConfigFile; file != "" {
		if _, err := webhook.LoadKubeconfig(file, nil); err != nil {
			return fmt.Errorf("--audit-webhook-config-file=%s: must be a kubeconfig: %w", file, err)
		}
	}
	switch err := options.ApplyTo(s.generic); {
	case err != nil && options.LogOptions.Path != "":
		return fmt.Errorf("--audit-log-path=%s: %w", options.LogOptions.Path, err)
	case err != nil:
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

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
