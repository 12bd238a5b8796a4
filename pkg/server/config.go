package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/audit/policy"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/rest"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/readiness"
)

// Config is what a Server is made of: files are read, the address is bound and
// the store is open.
type Config struct {
	options CompletedOptions
	scheme  *runtime.Scheme
	codecs  serializer.CodecFactory
	generic *genericapiserver.Config
	// home is what the server keeps in its data directory, nil if it needs none.
	home *home
	// cluster is the kube-apiserver in front, nil if there is none.
	cluster *cluster
	// flowControl is the engine, nil if it is switched off.
	flowControl *flowControl
	// remarks are what the checks on /readyz that ask kube-apiserver say.
	remarks []readiness.Remark
}

// NewConfig carries the options out. On error nothing stays open; afterwards
// Close gives back what was opened.
func NewConfig(ctx context.Context, options CompletedOptions) (*Config, error) {
	scheme := install.NewScheme()
	codecs := serializer.NewCodecFactory(scheme)
	config := &Config{options: options, scheme: scheme, codecs: codecs, generic: genericapiserver.NewConfig(codecs)}
	if err := config.apply(ctx); err != nil {
		config.Close()
		return nil, err
	}
	return config, nil
}

// Close ends the embedded etcd, if there is one, and frees the data directory.
func (c *Config) Close() {
	if c.home != nil {
		c.home.close()
	}
}

// apply carries the options out, in the order in which one needs the other.
func (c *Config) apply(ctx context.Context) error {
	steps := []func(context.Context) error{
		c.applyRun, c.openHome, c.applyServing, c.applyIdentity, c.applyObservation,
		c.connectCluster, c.applyAdmission, c.startEtcd, c.applyStorage, c.applyFlowControl,
		c.checkOptions, c.announceDeprecation, c.serveSchemas, c.watchCluster, c.explainReadiness, c.handOverClients,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) applyRun(context.Context) error {
	if err := c.chooseAdvertiseAddress(); err != nil {
		return err
	}
	if err := c.options.Run.ApplyTo(c.generic); err != nil {
		return err
	}
	c.generic.EffectiveVersion = effectiveVersion{c.generic.EffectiveVersion}
	if err := c.options.APIEnablement.ApplyTo(c.generic, rest.DefaultResourceConfig(), c.scheme); err != nil {
		return fmt.Errorf("--runtime-config: %w", err)
	}

	c.describeAPI()
	return nil
}

// chooseAdvertiseAddress keeps the library from looking for a network interface
// where none is needed, and may be missing: on a machine that is offline.
func (c *Config) chooseAdvertiseAddress() error {
	run, bind := c.options.Run, c.options.SecureServing.BindAddress
	if run.AdvertiseAddress == nil && !bind.IsUnspecified() {
		run.AdvertiseAddress = bind
	}
	return run.DefaultAdvertiseAddress(c.options.SecureServing.SecureServingOptions)
}

// applyServing binds the address.
func (c *Config) applyServing(context.Context) error {
	serving := c.options.SecureServing
	port := serving.BindPort
	if c.home != nil && !c.options.ownServingCertificate() {
		serving.ServerCert.CertKey = c.home.servingCertificate()
	} else if pair := serving.ServerCert.CertKey; pair.CertFile != "" {
		// The library's message would name neither flag nor file.
		if _, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile); err != nil {
			return fmt.Errorf("--tls-cert-file=%s, --tls-private-key-file=%s: must be readable PEM files of a certificate and its key: %w", pair.CertFile, pair.KeyFile, err)
		}
	}
	if err := serving.MaybeDefaultWithSelfSignedCerts(c.options.Run.AdvertiseAddress.String(), nil, nil); err != nil {
		return fmt.Errorf("making a serving certificate: %w", err)
	}
	if err := serving.ApplyTo(&c.generic.SecureServing, &c.generic.LoopbackClientConfig); err != nil {
		return c.explainServing(err, port)
	}
	// The server's own reads of its API: protobuf is cheaper for both ends, and
	// compression would only cost on the loopback.
	c.generic.LoopbackClientConfig.ContentType = runtime.ContentTypeProtobuf
	c.generic.LoopbackClientConfig.AcceptContentTypes = runtime.ContentTypeProtobuf
	c.generic.LoopbackClientConfig.DisableCompression = true
	return nil
}

// explainServing says what to do about an address that cannot be bound. The
// library gives the system's reason as text alone, and has forgotten the port.
func (c *Config) explainServing(err error, port int) error {
	serving, reason := c.options.SecureServing, func(number syscall.Errno) bool {
		return strings.HasSuffix(err.Error(), number.Error())
	}
	switch {
	case reason(syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s port %d: stop it, or choose another port with --secure-port", serving.BindAddress, port)
	case reason(syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--bind-address=%s is not an address of this machine: give one that is, or 0.0.0.0 for all", serving.BindAddress)
	case reason(syscall.EACCES):
		return fmt.Errorf("--secure-port=%d may not be bound by this user: choose a port from 1024 on", port)
	}
	return err
}

func (c *Config) applyIdentity(ctx context.Context) error {
	clientCA := ""
	if c.home != nil {
		clientCA = c.home.clientCA()
	}
	c.options.Identity.ServerID = c.generic.APIServerID
	return c.options.Identity.ApplyTo(ctx, &c.generic.Authentication, &c.generic.Authorization, c.generic.SecureServing, clientCA)
}

// applyObservation sets up what lets an operator see: audit, traces, profiles.
func (c *Config) applyObservation(context.Context) error {
	if err := c.options.EgressSelector.ApplyTo(c.generic); err != nil {
		return fmt.Errorf("--egress-selector-config-file: %w", err)
	}
	if err := c.options.Traces.ApplyTo(c.generic.EgressSelector, c.generic); err != nil {
		return fmt.Errorf("--tracing-config-file=%s: %w", c.options.Traces.ConfigFile, err)
	}
	if err := c.applyAudit(); err != nil {
		return err
	}
	profiling := genericoptions.FeatureOptions{
		EnableProfiling:           c.options.Features.EnableProfiling,
		EnableContentionProfiling: c.options.Features.EnableContentionProfiling,
		DebugSocketPath:           c.options.Features.DebugSocketPath,
	}
	// Server installs a route of its own.
	c.generic.EnableMetrics = false
	return profiling.ApplyTo(c.generic, nil, nil)
}

// applyAudit reads the files first, since the library's messages do not name the
// flags.
func (c *Config) applyAudit() error {
	options := c.options.Audit
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
	switch err := options.ApplyTo(c.generic); {
	case err != nil && options.LogOptions.Path != "":
		return fmt.Errorf("--audit-log-path=%s: %w", options.LogOptions.Path, err)
	case err != nil:
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// checkOptions puts a check of the options of requests in front of the API,
// behind the filters that decide who may ask.
func (c *Config) checkOptions(context.Context) error {
	chain := c.generic.BuildHandlerChainFunc
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return chain(badrequest.Options(api, generic.MaxRequestBodyBytes), generic)
	}
	return nil
}
