package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
)

// Options are the flags of authentication and authorization.
type Options struct {
	// Kubeconfig names the kube-apiserver in front. It stands in for the
	// kubeconfigs of Authentication and Authorization where they are empty.
	Kubeconfig string
	// InClusterAllowed lets a pod that was given no kubeconfig and no local
	// source of identity ask the kube-apiserver of its own cluster. Without it
	// such a pod is alone. Set it before anything is asked of the options.
	InClusterAllowed bool
	// ServerID tells this server from others in metrics.
	ServerID string

	// Authentication and Authorization are those of a kube-apiserver in front.
	// The client CA, the front proxy, the cache lifetimes and the paths that are
	// always allowed hold without one too.
	Authentication *genericoptions.DelegatingAuthenticationOptions
	Authorization  *genericoptions.DelegatingAuthorizationOptions

	// Local are the sources of identity that need no kube-apiserver.
	Local LocalOptions

	// inCluster gives the credentials of the pod around this process, or an
	// error if there is none.
	inCluster func() (*rest.Config, error)
	// reloadInterval is the time between two looks at --authentication-config.
	reloadInterval time.Duration
	flags          flagSets
}

// NewOptions returns the options of a server alone: local identities.
func NewOptions() *Options {
	return &Options{
		Authentication: genericoptions.NewDelegatingAuthenticationOptions(),
		Authorization:  genericoptions.NewDelegatingAuthorizationOptions(),
		Local:          newLocalOptions(),
		inCluster:      rest.InClusterConfig,
		reloadInterval: 10 * time.Second,
	}
}

// AddFlags puts the flags into the groups "authentication" and "authorization".
func (o *Options) AddFlags(sets *cliflag.NamedFlagSets) {
	authentication, authorization := sets.FlagSet("authentication"), sets.FlagSet("authorization")
	o.flags = flagSets{authentication, authorization}

	authentication.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig,
		"The kube-apiserver in front of this server, which says who users are and what they may do. "+
			"Without it, and outside a cluster, this server decides by itself.")
	o.Authentication.AddFlags(authentication)
	o.Authorization.AddFlags(authorization)
	o.Local.addFlags(authentication, authorization)
	o.describeShared()
}

// describeShared corrects the help of the library's flags where a server alone
// reads them too.
func (o *Options) describeShared() {
	for name, usage := range map[string]string{ //nolint:gosec // texts about tokens, no tokens
		"authentication-kubeconfig":              "kubeconfig of the kube-apiserver that reviews tokens; its user must be allowed to create tokenreviews.authentication.k8s.io. Default: --kubeconfig.",
		"authorization-kubeconfig":               "kubeconfig of the kube-apiserver that reviews permissions; its user must be allowed to create subjectaccessreviews.authorization.k8s.io. Default: --kubeconfig.",
		"client-ca-file":                         "Bundle of authorities whose client certificates tell users: the common name is the user, the organizations are his groups. Default: what the kube-apiserver in front uses; without one, the authority in --data-dir. Followed when it changes.",
		tokenWebhookTTLFlag:                      "How long an answer about a token is remembered. Default: 10s behind a kube-apiserver, 2m for --authentication-token-webhook-config-file.",
		authorizationAllowedTTLFlag:              "How long a permission given is remembered. Default: 10s behind a kube-apiserver, 5m for --authorization-webhook-config-file.",
		authorizationDeniedTTLFlag:               "How long a permission refused is remembered. Default: 10s behind a kube-apiserver, 30s for --authorization-webhook-config-file.",
		"authorization-always-allow-paths":       "Paths for which nobody is asked for permission; a * at the end matches what begins like it. Without a kube-apiserver in front, health stays among them.",
		"authentication-skip-lookup":             "Take the client and front-proxy authorities from the flags alone, not from the kube-apiserver in front.",
		"authentication-tolerate-lookup-failure": "Be ready even while the kube-apiserver in front has not told its front-proxy authority; its users are then anonymous here.",
		"requestheader-client-ca-file":           "Bundle of authorities whose client certificates may name a user in headers (a front proxy). Default: what the kube-apiserver in front uses; without one, there is no front proxy. Followed when it changes.",
		"requestheader-allowed-names":            "Common names of the front proxy's certificate. Empty: any certificate of --requestheader-client-ca-file may name any user.",
	} {
		o.flags.lookup(name).Usage = usage
	}
	for _, name := range []string{tokenWebhookTTLFlag, authorizationAllowedTTLFlag, authorizationDeniedTTLFlag} {
		// Keeps pflag from printing the default of one of the two ways to run.
		o.flags.lookup(name).DefValue = "0s"
	}
}

// Delegated tells whether a kube-apiserver is asked for identities.
func (o *Options) Delegated() bool {
	if o.Kubeconfig != "" || o.Authentication.RemoteKubeConfigFile != "" || o.Authorization.RemoteKubeConfigFile != "" {
		return true
	}
	return o.InClusterAllowed && !o.Local.given() && o.inPod()
}

func (o *Options) inPod() bool {
	_, err := o.inCluster()
	return err == nil
}

// ApplyTo sets who is let in and what he may do, and makes the server ask for
// client certificates. defaultClientCAFile is the bundle of client authorities of
// a server alone that was given no --client-ca-file; it may be empty. What runs in
// the background ends with ctx.
func (o *Options) ApplyTo(
	ctx context.Context,
	authenticationInfo *server.AuthenticationInfo,
	authorizationInfo *server.AuthorizationInfo,
	servingInfo *server.SecureServingInfo,
	defaultClientCAFile string,
) error {
	if o.Delegated() {
		return o.applyDelegated(authenticationInfo, authorizationInfo, servingInfo)
	}
	if err := o.applyLocalAuthentication(ctx, authenticationInfo, servingInfo, defaultClientCAFile); err != nil {
		return err
	}
	return o.applyLocalAuthorization(authorizationInfo)
}

// flagSets are the sets that hold the flags of Options; empty if AddFlags was
// never called.
type flagSets []*pflag.FlagSet

// lookup returns a flag that must be there.
func (s flagSets) lookup(name string) *pflag.Flag {
	for _, set := range s {
		if flag := set.Lookup(name); flag != nil {
			return flag
		}
	}
	panic(fmt.Sprintf("identity: no flag --%s", name))
}

// given tells whether the command line has the flag, with whatever value.
func (s flagSets) given(name string) bool {
	return len(s) > 0 && s.lookup(name).Changed
}
