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

const (
	kubeconfigFlag               = "kubeconfig"
	authenticationKubeconfigFlag = "authentication-kubeconfig"
	authorizationKubeconfigFlag  = "authorization-kubeconfig"
	skipLookupFlag               = "authentication-skip-lookup"
	tolerateLookupFailureFlag    = "authentication-tolerate-lookup-failure"
	alwaysAllowPathsFlag         = "authorization-always-allow-paths"
	anonymousAuthFlag            = "anonymous-auth"
)

// Options are the flags of authentication and authorization.
type Options struct {
	// Kubeconfig is for the kube-apiserver in front. It is the default of the
	// kubeconfigs of Authentication and Authorization.
	Kubeconfig string
	// InClusterAllowed lets a pod without kubeconfig and local options delegate to
	// the kube-apiserver of its cluster. Set it before calling any other method.
	InClusterAllowed bool
	// AnonymousAuth accepts requests without credentials, as system:anonymous: behind a
	// kube-apiserver all of them, else the ones that the AuthenticationConfiguration allows, by
	// default the health endpoints.
	AnonymousAuth bool
	// ServerID labels this server's metrics.
	ServerID string

	// Authentication and Authorization delegate to a kube-apiserver. Their client CA,
	// front proxy, cache TTLs and always allowed paths apply without one too.
	Authentication *genericoptions.DelegatingAuthenticationOptions
	Authorization  *genericoptions.DelegatingAuthorizationOptions

	// Local applies without a kube-apiserver only.
	Local LocalOptions

	// inCluster returns the credentials of the pod, and an error outside of one.
	inCluster func() (*rest.Config, error)
	// reloadInterval is the time between two checks of --authentication-config.
	reloadInterval time.Duration
	flags          flagSets
}

// NewOptions returns the options of a server without a kube-apiserver.
func NewOptions() *Options {
	return &Options{
		Authentication: genericoptions.NewDelegatingAuthenticationOptions(),
		Authorization:  genericoptions.NewDelegatingAuthorizationOptions(),
		Local:          newLocalOptions(),
		AnonymousAuth:  true,
		inCluster:      rest.InClusterConfig,
		reloadInterval: 10 * time.Second,
	}
}

// AddFlags adds the flags to the sets "authentication" and "authorization".
func (o *Options) AddFlags(sets *cliflag.NamedFlagSets) {
	authentication, authorization := sets.FlagSet("authentication"), sets.FlagSet("authorization")
	o.flags = flagSets{authentication, authorization}

	authentication.StringVar(&o.Kubeconfig, kubeconfigFlag, o.Kubeconfig,
		"kubeconfig of the kube-apiserver in front of this server, which authenticates and authorizes requests. "+
			"Without it, and outside a cluster, this server does both by itself.")
	authentication.BoolVar(&o.AnonymousAuth, anonymousAuthFlag, o.AnonymousAuth,
		"Accept requests without credentials, as user system:anonymous in group system:unauthenticated. "+
			"Without a kube-apiserver in front: on the health endpoints and /version only, unless --authentication-config says otherwise. "+
			"If false, probes of /livez and /readyz need credentials.")
	o.Authentication.AddFlags(authentication)
	o.Authorization.AddFlags(authorization)
	o.Local.addFlags(authentication, authorization)
	o.overrideUsage()
}

// overrideUsage replaces the library's help for the flags that apply in local mode
// too, or that default to another flag.
func (o *Options) overrideUsage() {
	for name, usage := range map[string]string{ //nolint:gosec // texts about tokens, no tokens
		authenticationKubeconfigFlag: "kubeconfig of the kube-apiserver that answers TokenReviews. Its user must be allowed to create tokenreviews.authentication.k8s.io. Default: --kubeconfig.",
		authorizationKubeconfigFlag:  "kubeconfig of the kube-apiserver that answers SubjectAccessReviews. Its user must be allowed to create subjectaccessreviews.authorization.k8s.io. Default: --kubeconfig.",
		clientCAFlag:                 "CA bundle for client certificates: the common name is the user, the organizations are the groups. Default: the bundle of the kube-apiserver in front. Without a kube-apiserver, certificates of the CA in --data-dir are accepted too, such as the one in admin.kubeconfig. Reloaded when it changes.",
		tokenWebhookTTLFlag:          "How long to cache TokenReview responses. Default: 10s behind a kube-apiserver, 2m for --authentication-token-webhook-config-file.",
		authorizedTTLFlag:            "How long to cache SubjectAccessReview responses that allow a request. Default: 10s behind a kube-apiserver, 5m for --authorization-webhook-config-file.",
		unauthorizedTTLFlag:          "How long to cache SubjectAccessReview responses that do not allow a request. Default: 10s behind a kube-apiserver, 30s for --authorization-webhook-config-file.",
		alwaysAllowPathsFlag:         "Paths that are authorized without a SubjectAccessReview. A trailing * matches any suffix. Without a kube-apiserver in front, the health endpoints and /version are always allowed.",
		skipLookupFlag:               "Take the CA bundles for client certificates and the front proxy from flags only, not from the kube-apiserver in front.",
		tolerateLookupFailureFlag:    "Become ready even if the front proxy's CA bundle cannot be read from the kube-apiserver in front. Until it is read, requests through the front proxy are anonymous.",
		requestHeaderCAFlag:          "CA bundle for the client certificate of a front proxy, which names the user in request headers. Default: the bundle of the kube-apiserver in front; without a kube-apiserver, no front proxy is trusted. Reloaded when it changes.",
		requestHeaderNamesFlag:       "Accepted common names of the front proxy's client certificate. Empty: any certificate signed by --requestheader-client-ca-file.",
	} {
		o.flags.lookup(name).Usage = usage
	}
	for _, name := range []string{tokenWebhookTTLFlag, authorizedTTLFlag, unauthorizedTTLFlag} {
		hideDefault(o.flags.lookup(name))
	}
}

// hideDefault hides the default of a duration in --help and docs/flags.md: it is false
// in local mode. pflag hides an empty DefValue only of values that are not its own
// durationValue, hence the wrapping type.
func hideDefault(flag *pflag.Flag) {
	flag.Value, flag.DefValue = struct{ pflag.Value }{flag.Value}, ""
}

// Delegated reports whether a kube-apiserver authenticates and authorizes.
func (o *Options) Delegated() bool {
	if o.Kubeconfig != "" || o.Authentication.RemoteKubeConfigFile != "" || o.Authorization.RemoteKubeConfigFile != "" {
		return true
	}
	return o.InClusterAllowed && !o.Local.configured() && o.inPod()
}

func (o *Options) inPod() bool {
	_, err := o.inCluster()
	return err == nil
}

// ApplyTo sets the authenticator and the authorizer, and makes the server request
// client certificates. In local mode ownCAFile is this server's CA; client
// certificates of it and of --client-ca-file are accepted. It may be empty.
// Background work stops when ctx ends.
func (o *Options) ApplyTo(
	ctx context.Context,
	authenticationInfo *server.AuthenticationInfo,
	authorizationInfo *server.AuthorizationInfo,
	servingInfo *server.SecureServingInfo,
	ownCAFile string,
) error {
	if o.Delegated() {
		return o.applyDelegated(authenticationInfo, authorizationInfo, servingInfo)
	}
	if err := o.applyLocalAuthentication(ctx, authenticationInfo, servingInfo, ownCAFile); err != nil {
		return err
	}
	return o.applyLocalAuthorization(ctx, authorizationInfo)
}

// flagSets hold the flags of Options; empty before AddFlags.
type flagSets []*pflag.FlagSet

// lookup returns a flag, which must exist.
func (s flagSets) lookup(name string) *pflag.Flag {
	for _, set := range s {
		if flag := set.Lookup(name); flag != nil {
			return flag
		}
	}
	panic(fmt.Sprintf("identity: flag --%s is not defined", name))
}

// changed reports whether the flag is on the command line, with any value.
func (s flagSets) changed(name string) bool {
	return len(s) > 0 && s.lookup(name).Changed
}
