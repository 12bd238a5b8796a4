package server

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"

	registry "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

// newGenericConfig returns the library's configuration: requests and shutdown, versions, audit,
// traces, profiling, authentication and authorization.
func newGenericConfig(ctx context.Context, c CompletedConfig, data dataDirectory, serving serving) (*genericapiserver.Config, error) {
	generic := genericapiserver.NewConfig(serializer.NewCodecFactory(c.scheme))
	generic.SecureServing, generic.LoopbackClientConfig = serving.SecureServingInfo, serving.loopback
	generic.EnableMetrics = false   // installMetrics serves them
	generic.EnableDiscovery = false // installDiscovery serves the list of groups
	if err := c.Run.ApplyTo(generic); err != nil {
		return nil, err
	}
	generic.EffectiveVersion = effectiveVersion{generic.EffectiveVersion}
	enabled := registry.DefaultResourceConfig()
	if c.LocalIdentity {
		enabled.EnableVersions(identity.SelfReviewVersions()...)
	}
	if err := c.APIEnablement.ApplyTo(generic, enabled, c.scheme); err != nil {
		return nil, fmt.Errorf("--runtime-config: %w", err)
	}
	describeAPI(generic, c.scheme)
	if err := c.Identity.ApplyTo(ctx, &generic.Authentication, &generic.Authorization, serving.SecureServingInfo, data.certificates.CA.CertificateFile); err != nil {
		return nil, err
	}
	if err := c.EgressSelector.ApplyTo(generic); err != nil {
		return nil, fmt.Errorf("--egress-selector-config-file=%s: %w", c.EgressSelector.ConfigFile, err)
	}
	if err := c.Traces.ApplyTo(generic.EgressSelector, generic); err != nil {
		return nil, fmt.Errorf("--tracing-config-file=%s: %w", c.Traces.ConfigFile, err)
	}
	generic.TracerProvider = boundedTracerProvider{generic.TracerProvider}
	if err := c.Audit.ApplyTo(generic); err != nil { // which may not name the flags
		return nil, fmt.Errorf("audit (--audit-policy-file=%s, --audit-log-path=%s, --audit-webhook-config-file=%s): %w",
			c.Audit.PolicyFile, c.Audit.LogOptions.Path, c.Audit.WebhookOptions.ConfigFile, err)
	}
	profiling := *c.Features
	profiling.EnablePriorityAndFairness = false // newFlowControl makes it
	return generic, profiling.ApplyTo(generic, nil, nil)
}
