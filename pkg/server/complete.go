package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// CompletedOptions are Options whose open ends are decided.
type CompletedOptions struct {
	*Options

	// embeddedEtcd is set when no etcd was named.
	embeddedEtcd bool
	// local is set when identities are this server's own, not a
	// kube-apiserver's.
	local bool
}

// Complete decides, from the flags alone, how the server runs.
func (o *Options) Complete() CompletedOptions {
	embeddedEtcd := len(o.Etcd.StorageConfig.Transport.ServerList) == 0
	// In a pod without any flag the server is alone, as anywhere else.
	o.Identity.InClusterAllowed = !embeddedEtcd
	completed := CompletedOptions{Options: o, embeddedEtcd: embeddedEtcd, local: !o.Identity.Delegated()}
	if completed.local {
		o.Admission.DefaultOffPlugins.Insert(o.Admission.RecommendedPluginOrder...)
	}
	return completed
}

// usesDataDir tells whether anything is kept in the data directory.
func (o CompletedOptions) usesDataDir() bool { return o.embeddedEtcd || o.local }

// ownServingCertificate tells whether the user gave a certificate to serve with.
func (o CompletedOptions) ownServingCertificate() bool {
	cert := o.SecureServing.ServerCert
	return cert.CertKey.CertFile != "" || cert.CertDirectory != ""
}

// Validate refuses what contradicts itself or cannot be meant.
func (o CompletedOptions) Validate() []error {
	var errs []error
	errs = append(errs, o.validateEtcd()...)
	errs = append(errs, o.Run.ComponentGlobalsRegistry.Validate()...)
	errs = append(errs, o.Run.Validate()...)
	errs = append(errs, o.validateServing()...)
	errs = append(errs, o.Identity.Validate()...)
	errs = append(errs, o.Audit.Validate()...)
	errs = append(errs, o.validateFeatures()...)
	errs = append(errs, o.validateAdmission()...)
	errs = append(errs, o.validateAPIEnablement()...)
	errs = append(errs, o.EgressSelector.Validate()...)
	errs = append(errs, o.Traces.Validate()...)
	if o.usesDataDir() && o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir must name a directory"))
	}
	return errs
}

func (o CompletedOptions) validateEtcd() []error {
	errs := o.validateEtcdAddress()
	if _, err := genericoptions.ParseWatchCacheSizes(o.Etcd.WatchCacheSizes); err != nil {
		errs = append(errs, fmt.Errorf("--watch-cache-sizes: %w; it must be a list of resource[.group]#size", err))
	}
	return errs
}

func (o CompletedOptions) validateEtcdAddress() []error {
	transport := o.Etcd.StorageConfig.Transport
	if !o.embeddedEtcd {
		errs := o.Etcd.Validate()
		if (transport.CertFile == "") != (transport.KeyFile == "") {
			errs = append(errs, errors.New("--etcd-certfile and --etcd-keyfile belong together: give both, or neither if etcd asks for no client certificate"))
		}
		return errs
	}
	var errs []error
	for flag, value := range map[string]string{
		"--etcd-cafile":   transport.TrustedCAFile,
		"--etcd-certfile": transport.CertFile,
		"--etcd-keyfile":  transport.KeyFile,
	} {
		if value != "" {
			errs = append(errs, fmt.Errorf("%s is for an etcd of yours: give its address with --etcd-servers, or leave %s out to use the embedded etcd", flag, flag))
		}
	}
	// The library wants an address that only the start of etcd will tell.
	withAddress := *o.Etcd
	withAddress.StorageConfig.Transport.ServerList = []string{"unix://embedded"}
	return append(errs, withAddress.Validate()...)
}

func (o CompletedOptions) validateServing() []error {
	serving := o.SecureServing
	errs := serving.Validate()
	if _, err := cliflag.TLSVersion(serving.MinTLSVersion); err != nil {
		errs = append(errs, fmt.Errorf("--tls-min-version: %w; it must be one of %s", err, strings.Join(cliflag.TLSPossibleVersions(), ", ")))
	}
	if _, err := cliflag.TLSCipherSuites(serving.CipherSuites); err != nil {
		errs = append(errs, fmt.Errorf("--tls-cipher-suites: %w; --help lists those that are supported", err))
	} else if o.missesHTTP2Suite() {
		errs = append(errs, fmt.Errorf("--tls-cipher-suites must have one of %s, which HTTP/2 needs: add one, or give --disable-http2-serving", strings.Join(http2Suites(), ", ")))
	}
	if streams := serving.HTTP2MaxStreamsPerConnection; streams < 0 {
		errs = append(errs, fmt.Errorf("--http2-max-streams-per-connection=%d must not be negative", streams))
	}
	if pair := o.SecureServing.ServerCert.CertKey; (pair.CertFile == "") != (pair.KeyFile == "") {
		errs = append(errs, errors.New("--tls-cert-file and --tls-private-key-file belong together: give both, or neither to serve with a certificate made by the server"))
	}
	return errs
}

// http2Suites are the cipher suites of TLS 1.2 of which a server of HTTP/2 must
// have one (RFC 9113, 9.2.2).
func http2Suites() []string {
	return []string{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}
}

// missesHTTP2Suite reports whether the library would refuse to serve HTTP/2 with
// the cipher suites, which it finds out after all else.
func (o CompletedOptions) missesHTTP2Suite() bool {
	serving := o.SecureServing
	if len(serving.CipherSuites) == 0 || serving.DisableHTTP2Serving || serving.MinTLSVersion == "VersionTLS13" {
		return false
	}
	return !slices.ContainsFunc(http2Suites(), func(suite string) bool { return slices.Contains(serving.CipherSuites, suite) })
}

func (o CompletedOptions) validateFeatures() []error {
	errs := o.Features.Validate()
	if total := o.Run.MaxRequestsInFlight + o.Run.MaxMutatingRequestsInFlight; o.Features.EnablePriorityAndFairness && total <= 0 {
		errs = append(errs, fmt.Errorf("--max-requests-inflight plus --max-mutating-requests-inflight must be more than 0, since the priority levels share that many seats; "+
			"to serve without limits, use --enable-priority-and-fairness=false"))
	}
	return errs
}

func (o CompletedOptions) validateAdmission() []error {
	errs := o.Admission.Validate()
	if o.local && len(o.Admission.EnablePlugins) > 0 {
		errs = append(errs, fmt.Errorf("--enable-admission-plugins=%s needs the webhooks and policies of a kube-apiserver: give --kubeconfig, or leave the flag out", o.Admission.EnablePlugins[0]))
	}
	return errs
}

func (o CompletedOptions) validateAPIEnablement() []error {
	errs := o.APIEnablement.Validate(install.NewScheme())
	off := []string{"false", "0", "f", "F", "False", "FALSE"}
	for _, key := range []string{flowcontrolv1.SchemeGroupVersion.String(), "api/all", "api/ga"} {
		if slices.Contains(off, o.APIEnablement.RuntimeConfig[key]) {
			errs = append(errs, fmt.Errorf("--runtime-config=%s=false is not possible: %s is what the server itself reads its configuration from; "+
				"to let clients see v1beta3 alone, register only the APIService of v1beta3", key, flowcontrolv1.SchemeGroupVersion))
		}
	}
	return errs
}
