package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authorization/path"
)

// Validate returns an error for each flag that is invalid, contradicts another or has
// no effect. It reads no file.
func (o *Options) Validate() []error {
	errs := append(o.Authentication.Validate(), o.Authorization.Validate()...)
	if _, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths); err != nil {
		errs = append(errs, fmt.Errorf("--%s: %w", alwaysAllowPathsFlag, err))
	}
	if o.Delegated() {
		return append(errs, o.validateDelegated()...)
	}
	errs = append(errs, o.reject(isDelegatedFlag, "--%[1]s is only for a server behind a kube-apiserver: set --%[2]s too, or remove --%[1]s", kubeconfigFlag)...)
	switch version := o.Local.AuthorizationWebhookVersion; {
	case o.Local.AuthorizationWebhookFile == "":
		return append(errs, o.reject(isWebhookFlag, "--%[1]s requires --%[2]s: set --%[2]s too, or remove --%[1]s", authorizationWebhookFlag)...)
	case version != "v1" && version != "v1beta1":
		return append(errs, fmt.Errorf("--%s=%s: must be v1 or v1beta1", authorizationWebhookVersionFlag, version))
	}
	return errs
}

func (o *Options) validateDelegated() []error {
	errs := o.reject(isLocalFlag, "--%[1]s is only for a server without a kube-apiserver, but %[2]s delegates to one: remove one of the two", o.delegatedBy())
	if o.Authentication.RequestHeader.ClientCAFile == "" {
		// All settings of the front proxy come from kube-apiserver.
		errs = append(errs, o.reject(isFrontProxyFlag, "--%[1]s requires --%[2]s, the CA bundle of the front proxy: set --%[2]s too, or remove --%[1]s", requestHeaderCAFlag)...)
	}
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

// delegatedBy names the flag or the credentials that select the kube-apiserver.
func (o *Options) delegatedBy() string {
	for _, source := range []kubeconfig{{kubeconfigFlag, o.Kubeconfig}, o.authenticationKubeconfig(), o.authorizationKubeconfig()} {
		if source.file != "" {
			return "--" + source.flag
		}
	}
	return "the service account of this pod"
}

// isLocalFlag reports whether a flag has no effect behind a kube-apiserver.
func isLocalFlag(flag string) bool {
	return slices.Contains([]string{tokenFileFlag, authenticationConfigFlag, authorizationRBACFileFlag, authorizationWebhookFlag, authorizationWebhookVersionFlag}, flag)
}

// isDelegatedFlag reports whether a flag has no effect without a kube-apiserver.
func isDelegatedFlag(flag string) bool {
	return isFrontProxyFlag(flag) || strings.HasPrefix(flag, "authentication-token-") ||
		flag == "authentication-skip-lookup" || flag == "authentication-tolerate-lookup-failure"
}

func isFrontProxyFlag(flag string) bool { return strings.HasPrefix(flag, "requestheader-") }

// isWebhookFlag reports whether a flag has no effect without reviews of access.
func isWebhookFlag(flag string) bool {
	return flag == authorizationWebhookVersionFlag || strings.HasPrefix(flag, "authorization-webhook-cache-")
}

// reject returns an error for each flag on the command line that matches. The
// arguments of format are the flag and other.
func (o *Options) reject(match func(flag string) bool, format, other string) (errs []error) {
	if o.flags == nil {
		return nil
	}
	o.flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && match(flag.Name) {
			errs = append(errs, fmt.Errorf(format, flag.Name, other))
		}
	})
	return errs
}
