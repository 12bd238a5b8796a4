package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/etcd3"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// Validate returns what is wrong with the options alone, in the order of the messages, which begin
// with flags. It reads no file.
func (c CompletedConfig) Validate() []error {
	var errs []error
	errs = append(errs, c.validateEtcd()...)
	errs = append(errs, c.Store.validate(c.EmbeddedEtcd)...)
	errs = append(errs, c.Run.Validate()...)
	errs = append(errs, c.validateServing()...)
	errs = append(errs, c.validateSelfIssued()...)
	errs = append(errs, c.Identity.Validate()...)
	errs = append(errs, c.Audit.Validate()...)
	if err := c.AuditFlowControl.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--audit-flow-control=%w", err))
	}
	if err := c.ListCost.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--list-cost=%w", err))
	}
	if err := c.Tenants.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--flow-control-tenants=%w", err))
	}
	errs = append(errs, c.validateFeatures()...)
	errs = append(errs, c.validateAdmission()...)
	errs = append(errs, c.validateAPIEnablement()...)
	errs = append(errs, c.EgressSelector.Validate()...)
	errs = append(errs, c.Traces.Validate()...)
	if c.usesDataDir() && c.DataDir == "" {
		errs = append(errs, errors.New("--data-dir must name a directory"))
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

func (c CompletedConfig) validateEtcd() []error {
	errs := append(c.validateEtcdAddress(), c.validateUnsupported()...)
	sizes, err := genericoptions.ParseWatchCacheSizes(c.Etcd.WatchCacheSizes)
	if err != nil {
		errs = append(errs, fmt.Errorf("--watch-cache-sizes: %w; it must be a list of resource[.group]#size", err))
	}
	for resource := range sizes {
		if schemas, levels := flowcontrol.Resource("flowschemas"), flowcontrol.Resource("prioritylevelconfigurations"); resource != schemas && resource != levels {
			errs = append(errs, fmt.Errorf("--watch-cache-sizes: %s is not stored by this server: name %s or %s instead", resource, schemas, levels))
		}
	}
	return errs
}

// validateUnsupported rejects the library's flags that have no effect on this server.
func (c CompletedConfig) validateUnsupported() []error {
	var errs []error
	if overrides := c.Etcd.EtcdServersOverrides; len(overrides) > 0 {
		errs = append(errs, fmt.Errorf("--etcd-servers-overrides=%s is not supported: this server stores all its objects in one etcd; set --etcd-servers instead", strings.Join(overrides, ",")))
	}
	if leases := c.Etcd.StorageConfig.LeaseManagerConfig; leases != etcd3.NewDefaultLeaseManagerConfig() {
		errs = append(errs, fmt.Errorf("--lease-reuse-duration-seconds=%d is not supported: no object of this server expires; remove the flag", leases.ReuseDurationSeconds))
	}
	for flag, set := range map[string]bool{
		"--emulation-forward-compatible":                c.Run.EmulationForwardCompatible,
		"--runtime-config-emulation-forward-compatible": c.Run.RuntimeConfigEmulationForwardCompatible,
	} {
		if set {
			errs = append(errs, fmt.Errorf("%s=true is not supported: every version that can be emulated has v1 and v1beta3; remove the flag", flag))
		}
	}
	if c.LocalIdentity && !c.Etcd.EnableGarbageCollection {
		errs = append(errs, errors.New("--enable-garbage-collector=false is for the garbage collector of a cluster, and no kube-apiserver is in front: "+
			"no deletion waits for it here; set --kubeconfig too, or remove the flag"))
	}
	return errs
}

func (c CompletedConfig) validateEtcdAddress() []error {
	transport := c.Etcd.StorageConfig.Transport
	if !c.EmbeddedEtcd {
		errs := c.Etcd.Validate()
		if (transport.CertFile == "") != (transport.KeyFile == "") {
			errs = append(errs, errors.New("--etcd-certfile and --etcd-keyfile belong together: set both, or neither if etcd requires no client certificate"))
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
			errs = append(errs, fmt.Errorf("%s requires --etcd-servers: set it to the addresses of etcd, or remove %s to use the embedded etcd", flag, flag))
		}
	}
	// The library requires an address, which is known only after etcd has started.
	withAddress := *c.Etcd
	withAddress.StorageConfig.Transport.ServerList = []string{"unix://embedded"}
	return append(errs, withAddress.Validate()...)
}

func (c CompletedConfig) validateServing() []error {
	serving := c.SecureServing
	errs := serving.Validate()
	if _, err := cliflag.TLSVersion(serving.MinTLSVersion); err != nil {
		errs = append(errs, fmt.Errorf("--tls-min-version: %w; it must be one of %s", err, strings.Join(cliflag.TLSPossibleVersions(), ", ")))
	}
	if _, err := cliflag.TLSCipherSuites(serving.CipherSuites); err != nil {
		errs = append(errs, fmt.Errorf("--tls-cipher-suites: %w; --help lists the supported ones", err))
	} else if c.missesHTTP2Suite() {
		errs = append(errs, fmt.Errorf("--tls-cipher-suites must have one of %s, which HTTP/2 needs: add one, or give --disable-http2-serving", strings.Join(http2Suites(), ", ")))
	}
	if streams := serving.HTTP2MaxStreamsPerConnection; streams < 0 {
		errs = append(errs, fmt.Errorf("--http2-max-streams-per-connection=%d must not be negative", streams))
	}
	if pair := c.SecureServing.ServerCert.CertKey; (pair.CertFile == "") != (pair.KeyFile == "") {
		errs = append(errs, errors.New("--tls-cert-file and --tls-private-key-file belong together: give both, or neither to serve with a certificate made by the server"))
	}
	return errs
}

// validateSelfIssued validates the Service of --tls-self-issued-service.
func (c CompletedConfig) validateSelfIssued() []error {
	if c.SelfIssuedService == "" {
		return nil
	}
	const flag = "--tls-self-issued-service"
	var errs []error
	namespace, name, both := strings.Cut(c.SelfIssuedService, "/")
	if !both || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1035Label(name)) > 0 {
		errs = append(errs, fmt.Errorf("%s=%s must be the NAMESPACE/NAME of a Service, such as flowcontrol-system/flowcontrol-apiserver", flag, c.SelfIssuedService))
	}
	if c.LocalIdentity {
		errs = append(errs, fmt.Errorf("%[1]s=%[2]s is for a Secret of a kube-apiserver in front, and there is none: set --kubeconfig too, or remove %[1]s", flag, c.SelfIssuedService))
	}
	if cert := c.SecureServing.ServerCert; cert.CertKey.CertFile != "" || cert.CertKey.KeyFile != "" || cert.CertDirectory != "" {
		errs = append(errs, fmt.Errorf("%[1]s=%[2]s and --tls-cert-file, --tls-private-key-file or --cert-dir name two serving certificates: remove %[1]s to serve the one in files", flag, c.SelfIssuedService))
	}
	return errs
}

// http2Suites are cipher suites of TLS 1.2; a server of HTTP/2 must have one of them (RFC 9113,
// 9.2.2).
func http2Suites() []string {
	return []string{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}
}

// missesHTTP2Suite reports whether the library would reject to serve HTTP/2 with
// the cipher suites, which it finds out after all else.
func (c CompletedConfig) missesHTTP2Suite() bool {
	serving := c.SecureServing
	if len(serving.CipherSuites) == 0 || serving.DisableHTTP2Serving || serving.MinTLSVersion == "VersionTLS13" {
		return false
	}
	return !slices.ContainsFunc(http2Suites(), func(suite string) bool { return slices.Contains(serving.CipherSuites, suite) })
}

func (c CompletedConfig) validateFeatures() []error {
	errs := c.Features.Validate()
	if !c.Features.EnablePriorityAndFairness {
		return errs
	}
	if limit := c.MaxExemptRequestsInFlight; limit < 0 {
		errs = append(errs, fmt.Errorf("--max-exempt-requests-inflight=%d must not be negative: give 0 for no bound", limit))
	}
	seats := c.Run.MaxRequestsInFlight + c.Run.MaxMutatingRequestsInFlight
	if seats <= 0 {
		return append(errs, fmt.Errorf("--max-requests-inflight plus --max-mutating-requests-inflight must be more than 0, since the priority levels share that many seats; "+
			"to serve without limits, use --enable-priority-and-fairness=false"))
	}
	return append(errs, c.validateTotalControl(seats)...)
}

// validateTotalControl validates TotalControl on a server with a static total of seats.
func (c CompletedConfig) validateTotalControl(seats int) []error {
	var errs []error
	for _, err := range c.TotalControl.Validate(seats) {
		flag := "--flow-control-total"
		if err.Option != "mode" {
			flag += "-" + err.Option
		}
		errs = append(errs, fmt.Errorf("%s=%v: %s", flag, err.Value, err.Problem))
	}
	return errs
}

func (c CompletedConfig) validateAdmission() []error {
	errs := c.Admission.Validate()
	if !c.LocalIdentity {
		return errs
	}
	for _, flag := range []struct{ name, value string }{
		{"--admission-control-config-file", c.Admission.ConfigFile},
		{"--disable-admission-plugins", strings.Join(c.Admission.DisablePlugins, ",")},
		{"--enable-admission-plugins", strings.Join(c.Admission.EnablePlugins, ",")},
	} {
		if flag.value != "" {
			errs = append(errs, fmt.Errorf("%[1]s=%[2]s is for the webhooks and policies of a kube-apiserver in front, and there is none: set --kubeconfig too, or remove %[1]s", flag.name, flag.value))
		}
	}
	return errs
}

func (c CompletedConfig) validateAPIEnablement() []error {
	errs := c.APIEnablement.Validate(c.scheme)
	off, v1 := []string{"false", "0", "f", "F", "False", "FALSE"}, flowcontrolv1.SchemeGroupVersion.String()
	for _, key := range slices.Sorted(maps.Keys(c.APIEnablement.RuntimeConfig)) {
		needed := slices.Contains([]string{v1, "api/all", "api/ga"}, key) || strings.HasPrefix(key, v1+"/")
		if needed && slices.Contains(off, c.APIEnablement.RuntimeConfig[key]) {
			errs = append(errs, fmt.Errorf("--runtime-config=%s=false is not possible: this server reads its configuration from %s; "+
				"to let clients see v1beta3 alone, register only the APIService of v1beta3", key, v1))
		}
	}
	return errs
}
