package identity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authorization/path"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/gates"
)

// Validate returns an error for each flag that is invalid, contradicts another or has
// no effect. It reads no file.
func (o *Options) Validate() []error {
	errs := o.Authentication.Validate()
	errs = append(errs, o.Authorization.Validate()...)
	if _, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths); err != nil {
		errs = append(errs, fmt.Errorf("--%s: %w", alwaysAllowPathsFlag, err))
	}
	errs = append(errs, o.validateCacheTTLs()...)
	errs = append(errs, o.validateRequestHeader()...)
	if o.Delegated() {
		return append(errs, o.validateDelegated()...)
	}
	return append(errs, o.validateLocal()...)
}

func (o *Options) validateCacheTTLs() []error {
	var errs []error
	for _, ttl := range []struct {
		flag  string
		value time.Duration
	}{
		{tokenWebhookTTLFlag, o.Authentication.CacheTTL},
		{authorizedTTLFlag, o.Authorization.AllowCacheTTL},
		{unauthorizedTTLFlag, o.Authorization.DenyCacheTTL},
	} {
		if ttl.value < 0 {
			errs = append(errs, fmt.Errorf("--%s=%s: must be 0s (no caching) or greater", ttl.flag, ttl.value))
		}
	}
	return errs
}

// validateRequestHeader rejects front proxy flags without the CA bundle of the front
// proxy: behind a kube-apiserver all its settings come from there.
func (o *Options) validateRequestHeader() []error {
	if o.Authentication.RequestHeader.ClientCAFile != "" {
		return nil
	}
	return o.rejectFlags(func(flag string) bool { return strings.HasPrefix(flag, "requestheader-") },
		"--%[1]s requires --%[2]s, the CA bundle of the front proxy: set --%[2]s too, or remove --%[1]s", requestHeaderCAFlag)
}

func (o *Options) validateDelegated() []error {
	errs := o.rejectFlags(isLocalFlag,
		"--%[1]s is only for a server without a kube-apiserver, but %[2]s delegates to one: remove one of the two", o.delegatedBy())
	if o.Kubeconfig != "" || o.inPod() {
		return errs
	}
	for _, required := range []kubeconfig{o.authenticationKubeconfig(), o.authorizationKubeconfig()} {
		if required.file == "" {
			errs = append(errs, fmt.Errorf("%s delegates to a kube-apiserver, but --%s is not set: set it too, or set --kubeconfig for both", o.delegatedBy(), required.flag))
		}
	}
	return errs
}

// delegatedBy names the flag or the credentials that select delegated mode.
func (o *Options) delegatedBy() string {
	switch {
	case o.Kubeconfig != "":
		return "--" + kubeconfigFlag
	case o.Authentication.RemoteKubeConfigFile != "":
		return "--" + authenticationKubeconfigFlag
	case o.Authorization.RemoteKubeConfigFile != "":
		return "--" + authorizationKubeconfigFlag
	default:
		return "the service account of this pod"
	}
}

func (o *Options) validateLocal() []error {
	errs := o.rejectFlags(isDelegatedFlag, "--%[1]s is only for a server behind a kube-apiserver: set --%[2]s too, or remove --%[1]s", kubeconfigFlag)
	errs = append(errs, o.validateWebhook(o.Local.TokenWebhookFile, tokenWebhookFlag, o.Local.TokenWebhookVersion, tokenWebhookVersionFlag, tokenWebhookTTLFlag)...)
	errs = append(errs, o.validateWebhook(o.Local.AuthorizationWebhookFile, authorizationWebhookFlag, o.Local.AuthorizationWebhookVersion, authorizationWebhookVersionFlag,
		authorizedTTLFlag, unauthorizedTTLFlag)...)
	return append(errs, o.validateOIDC()...)
}

// validateWebhook rejects an unknown version, and flags of a webhook that is not set.
func (o *Options) validateWebhook(file, fileFlag, version, versionFlag string, ttlFlags ...string) []error {
	if file == "" {
		webhookFlags := append([]string{versionFlag}, ttlFlags...)
		return o.rejectFlags(func(flag string) bool { return slices.Contains(webhookFlags, flag) },
			"--%[1]s requires --%[2]s: set --%[2]s too, or remove --%[1]s", fileFlag)
	}
	if version != "v1" && version != "v1beta1" {
		return []error{fmt.Errorf("--%s=%s: must be v1 or v1beta1", versionFlag, version)}
	}
	return nil
}

func (o *Options) validateOIDC() []error {
	if o.Local.AuthenticationConfigFile == "" {
		return o.Local.OIDC.validate(o.changedFlags(isOIDCFlag))
	}
	errs := o.rejectFlags(isOIDCFlag,
		"--%[1]s and --%[2]s are mutually exclusive: move the issuer of the --oidc-* flags to the file, or remove --%[2]s", authenticationConfigFlag)
	if gate := gates.StructuredAuthenticationConfiguration; !gates.Enabled(utilfeature.DefaultFeatureGate, gate) {
		errs = append(errs, fmt.Errorf("--%s requires --feature-gates=%s=true", authenticationConfigFlag, gate))
	}
	return errs
}

// isLocalFlag reports whether a flag has no effect behind a kube-apiserver.
func isLocalFlag(flag string) bool {
	return isOIDCFlag(flag) || slices.Contains([]string{
		tokenFileFlag, authenticationConfigFlag, apiAudiencesFlag,
		tokenWebhookFlag, tokenWebhookVersionFlag, authorizationWebhookFlag, authorizationWebhookVersionFlag, authorizationRBACFileFlag,
	}, flag)
}

// isDelegatedFlag reports whether a flag has no effect without a kube-apiserver.
func isDelegatedFlag(flag string) bool {
	return flag == skipLookupFlag || flag == tolerateLookupFailureFlag
}

func isOIDCFlag(flag string) bool { return strings.HasPrefix(flag, oidcFlagPrefix) }

// changedFlags returns the flags on the command line that match.
func (o *Options) changedFlags(match func(flag string) bool) []string {
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

// rejectFlags returns an error for each flag on the command line that matches. The
// arguments of format are the flag and other.
func (o *Options) rejectFlags(match func(flag string) bool, format, other string) []error {
	var errs []error
	for _, flag := range o.changedFlags(match) {
		errs = append(errs, fmt.Errorf(format, flag, other))
	}
	return errs
}
