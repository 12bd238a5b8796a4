package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// kubeAPIServerFlags are flags of kube-apiserver that this server does not have, each with what to do
// instead.
func kubeAPIServerFlags() map[string]string {
	const (
		authorization = "behind a kube-apiserver (--kubeconfig), it authorizes requests; alone, use --authorization-rbac-file or --authorization-webhook-config-file"
		byWhom        = "behind a kube-apiserver (--kubeconfig), it authenticates tokens; alone, use --token-auth-file or --authentication-config"
	)
	return map[string]string{
		"authorization-mode":                       authorization,
		"authorization-config":                     authorization,
		"authorization-policy-file":                authorization,
		"authentication-token-webhook-config-file": byWhom,
		"oidc-issuer-url":                          byWhom,
		"oidc-client-id":                           byWhom,
		"service-account-issuer":                   byWhom,
		"service-account-key-file":                 byWhom,
		"service-account-signing-key-file":         byWhom,
	}
}

// explainFlag returns the error of the command line.
func explainFlag(err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if instead, ok := kubeAPIServerFlags()[strings.TrimLeft(unknown.GetSpecifiedName(), "-")]; ok {
			return fmt.Errorf("%w: %s; --help lists the flags", err, instead)
		}
	}
	return fmt.Errorf("%w; --help lists the flags", err)
}
