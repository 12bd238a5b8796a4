package identity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// Validate refuses flags that contradict each other, that would do nothing, or
// that no server can mean. It reads no file.
func (o *Options) Validate() []error {
	errs := o.Authentication.Validate()
	errs = append(errs, o.Authorization.Validate()...)
	if _, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths); err != nil {
		errs = append(errs, fmt.Errorf("--authorization-always-allow-paths: %w", err))
	}
	errs = append(errs, o.validateLifetimes()...)
	errs = append(errs, o.validateRequestHeader()...)
	if o.Delegated() {
		return append(errs, o.validateDelegated()...)
	}
	return append(errs, o.validateLocal()...)
}

// validateLifetimes refuses caches that forget before they learn.
func (o *Options) validateLifetimes() []error {
	var errs []error
	for _, lifetime := range []struct {
		flag  string
		value time.Duration
	}{
		{tokenWebhookTTLFlag, o.Authentication.CacheTTL},
		{authorizationAllowedTTLFlag, o.Authorization.AllowCacheTTL},
		{authorizationDeniedTTLFlag, o.Authorization.DenyCacheTTL},
	} {
		if lifetime.value < 0 {
			errs = append(errs, fmt.Errorf("--%s=%s: must be 0s (remember nothing) or more", lifetime.flag, lifetime.value))
		}
	}
	return errs
}

// validateRequestHeader refuses what would be said of a front proxy whose
// authority is unknown, or comes together with other values from a cluster.
func (o *Options) validateRequestHeader() []error {
	if o.Authentication.RequestHeader.ClientCAFile != "" {
		return nil
	}
	return o.each(func(flag string) bool { return strings.HasPrefix(flag, "requestheader-") },
		"--%[1]s says how to trust a front proxy, but not whose certificate it has: give --%[2]s too, or leave --%[1]s out", requestHeaderCAFlag)
}

func (o *Options) validateDelegated() []error {
	errs := o.each(isLocalFlag,
		"--%[1]s is for a server without a kube-apiserver, but %[2]s has a kube-apiserver decide: leave one of the two out", o.delegatedBy())
	if o.Kubeconfig != "" || o.inPod() {
		return errs
	}
	for _, kubeconfig := range []struct{ flag, file string }{
		{"authentication-kubeconfig", o.Authentication.RemoteKubeConfigFile},
		{"authorization-kubeconfig", o.Authorization.RemoteKubeConfigFile},
	} {
		if kubeconfig.file == "" {
			errs = append(errs, fmt.Errorf("%s has a kube-apiserver decide, but --%s is missing: give it too, or --kubeconfig for both", o.delegatedBy(), kubeconfig.flag))
		}
	}
	return errs
}

// delegatedBy names what makes the options delegated.
func (o *Options) delegatedBy() string {
	switch {
	case o.Kubeconfig != "":
		return "--kubeconfig"
	case o.Authentication.RemoteKubeConfigFile != "":
		return "--authentication-kubeconfig"
	case o.Authorization.RemoteKubeConfigFile != "":
		return "--authorization-kubeconfig"
	default:
		return "the service account of this pod"
	}
}

func (o *Options) validateLocal() []error {
	errs := o.each(isDelegatedFlag, "--%[1]s is for a server behind a kube-apiserver: give %[2]s too, or leave --%[1]s out", "--kubeconfig")
	errs = append(errs, o.validateWebhook(o.Local.TokenWebhookFile, tokenWebhookFlag, o.Local.TokenWebhookVersion, tokenWebhookVersionFlag, tokenWebhookTTLFlag)...)
	errs = append(errs, o.validateWebhook(o.Local.AuthorizationWebhookFile, authorizationWebhookFlag, o.Local.AuthorizationWebhookVersion, authorizationVersionFlag,
		authorizationAllowedTTLFlag, authorizationDeniedTTLFlag)...)
	return append(errs, o.validateOIDC()...)
}

// validateWebhook refuses a version that no webhook speaks, and flags about a
// webhook that is not there.
func (o *Options) validateWebhook(file, fileFlag, version, versionFlag string, lifetimeFlags ...string) []error {
	if file == "" {
		about := append([]string{versionFlag}, lifetimeFlags...)
		return o.each(func(flag string) bool { return slices.Contains(about, flag) },
			"--%[1]s says how to ask a service that is not named: give --%[2]s too, or leave --%[1]s out", fileFlag)
	}
	if version != "v1" && version != "v1beta1" {
		return []error{fmt.Errorf("--%s=%s: must be v1 or v1beta1", versionFlag, version)}
	}
	return nil
}

func (o *Options) validateOIDC() []error {
	if o.Local.AuthenticationConfigFile == "" {
		return o.Local.OIDC.validate(o.given(isOIDCFlag))
	}
	errs := o.each(isOIDCFlag,
		"--%[1]s and --%[2]s both say which issuers are let in: move the issuer of the --oidc-* flags to the file, or leave the file out", authenticationConfigFlag)
	if gate := features.StructuredAuthenticationConfiguration; !utilfeature.DefaultFeatureGate.Enabled(gate) {
		errs = append(errs, fmt.Errorf("--%s needs --feature-gates=%s=true", authenticationConfigFlag, gate))
	}
	return errs
}

// isLocalFlag tells whether a flag means nothing behind a kube-apiserver.
func isLocalFlag(flag string) bool {
	return isOIDCFlag(flag) || slices.Contains([]string{
		tokenFileFlag, authenticationConfigFlag, apiAudiencesFlag,
		tokenWebhookFlag, tokenWebhookVersionFlag, authorizationWebhookFlag, authorizationVersionFlag,
	}, flag)
}

// isDelegatedFlag tells whether a flag means nothing without a kube-apiserver.
func isDelegatedFlag(flag string) bool {
	return flag == "authentication-skip-lookup" || flag == "authentication-tolerate-lookup-failure"
}

func isOIDCFlag(flag string) bool { return strings.HasPrefix(flag, oidcFlagPrefix) }

// given returns the flags of the command line that match.
func (o *Options) given(match func(flag string) bool) []string {
	var names []string
	for _, set := range o.flags {
		set.VisitAll(func(flag *pflag.Flag) {
			if flag.Changed && match(flag.Name) {
				names = append(names, flag.Name)
			}
		})
	}
	return names
}

// each makes an error of each flag of the command line that matches. The format
// has the flag and other as its values.
func (o *Options) each(match func(flag string) bool, format, other string) []error {
	var errs []error
	for _, flag := range o.given(match) {
		errs = append(errs, fmt.Errorf(format, flag, other))
	}
	return errs
}
