package identity

import (
	"context"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
)

const (
	kubeconfigFlag                  = "kubeconfig"
	authenticationKubeconfigFlag    = "authentication-kubeconfig"
	authorizationKubeconfigFlag     = "authorization-kubeconfig"
	anonymousAuthFlag               = "anonymous-auth"
	clientCAFlag                    = "client-ca-file"
	requestHeaderCAFlag             = "requestheader-client-ca-file"
	requestHeaderNamesFlag          = "requestheader-allowed-names"
	alwaysAllowPathsFlag            = "authorization-always-allow-paths"
	tokenFileFlag                   = "token-auth-file" //nolint:gosec // the name of a flag, no token
	authenticationConfigFlag        = "authentication-config"
	authorizationRBACFileFlag       = "authorization-rbac-file"
	authorizationWebhookFlag        = "authorization-webhook-config-file"
	authorizationWebhookVersionFlag = "authorization-webhook-version"
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
	// default the health endpoints and /version.
	AnonymousAuth bool

	// Authentication and Authorization delegate to a kube-apiserver. Their client CA,
	// TTLs of decisions and always allowed paths apply without one too.
	Authentication *genericoptions.DelegatingAuthenticationOptions
	Authorization  *genericoptions.DelegatingAuthorizationOptions

	// Local applies without a kube-apiserver only.
	Local LocalOptions

	// InCluster returns the credentials of the pod, and an error outside of one.
	InCluster func() (*rest.Config, error)
	// reloadInterval is the time between two reads of a file that may change.
	reloadInterval time.Duration
	// flags has the flags of these options, nil before AddFlags.
	flags *pflag.FlagSet
}

// LocalOptions are authentication and authorization without a kube-apiserver. An
// empty file name disables its authenticator or authorizer.
type LocalOptions struct {
	// TokenFile is a CSV file of token, user name, UID and, optionally, groups.
	TokenFile string
	// AuthenticationConfigFile is an AuthenticationConfiguration.
	AuthenticationConfigFile string
	// AuthorizationRBACFile has ClusterRoles and ClusterRoleBindings.
	AuthorizationRBACFile string
	// AuthorizationWebhookFile is the kubeconfig of the webhook that answers
	// SubjectAccessReviews of AuthorizationWebhookVersion ("v1" or "v1beta1").
	AuthorizationWebhookFile    string
	AuthorizationWebhookVersion string
}

// NewOptions returns the options of a server without a kube-apiserver.
func NewOptions() *Options {
	return &Options{
		Authentication: genericoptions.NewDelegatingAuthenticationOptions(),
		Authorization:  genericoptions.NewDelegatingAuthorizationOptions(),
		Local:          LocalOptions{AuthorizationWebhookVersion: "v1beta1"}, // as in kube-apiserver
		AnonymousAuth:  true,
		InCluster:      rest.InClusterConfig,
		reloadInterval: 10 * time.Second,
	}
}

// AddFlags adds the flags to the sets "authentication" and "authorization".
func (o *Options) AddFlags(sets *cliflag.NamedFlagSets) {
	authentication, authorization := sets.FlagSet("authentication"), sets.FlagSet("authorization")
	o.Authentication.AddFlags(authentication)
	authentication.StringVar(&o.Kubeconfig, kubeconfigFlag, o.Kubeconfig,
		"kubeconfig of the kube-apiserver in front of this server, which authenticates and authorizes requests. "+
			"Without it, and outside a cluster, this server does both by itself.")
	authentication.BoolVar(&o.AnonymousAuth, anonymousAuthFlag, o.AnonymousAuth,
		"Accept requests without credentials, as user system:anonymous in group system:unauthenticated. "+
			"Without a kube-apiserver in front: on the health endpoints and /version only, unless --authentication-config says otherwise. "+
			"If false, probes of /livez and /readyz need credentials.")
	authentication.StringVar(&o.Local.TokenFile, tokenFileFlag, o.Local.TokenFile,
		"CSV file of bearer tokens: token, user name, UID and optionally quoted groups. Read once, at startup.")
	authentication.StringVar(&o.Local.AuthenticationConfigFile, authenticationConfigFlag, o.Local.AuthenticationConfigFile,
		"File with an AuthenticationConfiguration: JWT authenticators, and anonymous access (default: the health endpoints and /version only). "+
			"Reloaded when it changes, except for anonymous access.")

	o.Authorization.AddFlags(authorization)
	authorization.StringVar(&o.Local.AuthorizationRBACFile, authorizationRBACFileFlag, o.Local.AuthorizationRBACFile,
		"YAML file of ClusterRoles and ClusterRoleBindings (rbac.authorization.k8s.io/v1), for a server without a kube-apiserver in front. "+
			"Reloaded when it changes; the last valid one is kept. The authorization webhook, if there is one, decides what the file does not allow.")
	authorization.StringVar(&o.Local.AuthorizationWebhookFile, authorizationWebhookFlag, o.Local.AuthorizationWebhookFile,
		"kubeconfig of the webhook that authorizes requests by SubjectAccessReview. Without it, without --authorization-rbac-file and "+
			"without a kube-apiserver in front, users outside system:masters may only read discovery, version and health.")
	authorization.StringVar(&o.Local.AuthorizationWebhookVersion, authorizationWebhookVersionFlag, o.Local.AuthorizationWebhookVersion,
		"Version of the SubjectAccessReviews (authorization.k8s.io) that the authorization webhook answers: v1 or v1beta1.")

	o.flags = pflag.NewFlagSet("identity", pflag.ContinueOnError)
	o.flags.AddFlagSet(authentication)
	o.flags.AddFlagSet(authorization)
	for name, usage := range map[string]string{
		authenticationKubeconfigFlag:             "kubeconfig of the kube-apiserver that answers TokenReviews. Its user must be allowed to create tokenreviews.authentication.k8s.io. Default: --kubeconfig.",
		authorizationKubeconfigFlag:              "kubeconfig of the kube-apiserver that answers SubjectAccessReviews. Its user must be allowed to create subjectaccessreviews.authorization.k8s.io. Default: --kubeconfig.",
		clientCAFlag:                             "CA bundle for client certificates: the common name is the user, the organizations are the groups. Default: the bundle of the kube-apiserver in front. Without a kube-apiserver, certificates of the CA in --data-dir are accepted too, such as the one in admin.kubeconfig. Reloaded when it changes.",
		alwaysAllowPathsFlag:                     "Paths that are authorized without a SubjectAccessReview. A trailing * matches any suffix. Without a kube-apiserver in front, the health endpoints and /version are always allowed.",
		requestHeaderCAFlag:                      "CA bundle for the client certificate of a front proxy, which names the user in request headers. Default: the bundle of the kube-apiserver in front. Reloaded when it changes.",
		"authentication-tolerate-lookup-failure": "Become ready even if the front proxy's CA bundle cannot be read from the kube-apiserver in front. Until it is read, requests through the front proxy are anonymous.",
	} {
		o.flags.Lookup(name).Usage = usage
	}
}

// Delegated reports whether a kube-apiserver authenticates and authorizes.
func (o *Options) Delegated() bool {
	if o.Kubeconfig != "" || o.Authentication.RemoteKubeConfigFile != "" || o.Authorization.RemoteKubeConfigFile != "" {
		return true
	}
	local := o.Local
	alone := local.TokenFile != "" || local.AuthenticationConfigFile != "" || local.AuthorizationRBACFile != "" || local.AuthorizationWebhookFile != ""
	return o.InClusterAllowed && !alone && o.inPod()
}

func (o *Options) inPod() bool {
	_, err := o.InCluster()
	return err == nil
}

// ApplyTo sets the authenticator and the authorizer, and makes the server request
// client certificates. Without a kube-apiserver ownCAFile is this server's CA; client
// certificates of it and of --client-ca-file are accepted. It may be empty.
// Background work stops when ctx ends.
func (o *Options) ApplyTo(ctx context.Context, authentication *server.AuthenticationInfo, authorization *server.AuthorizationInfo,
	serving *server.SecureServingInfo, ownCAFile string,
) error {
	apply := func() error {
		if err := o.applyLocalAuthentication(ctx, authentication, serving, ownCAFile); err != nil {
			return err
		}
		return o.applyLocalAuthorization(ctx, authorization)
	}
	if o.Delegated() {
		apply = func() error {
			if err := o.applyDelegatedAuthentication(authentication, serving); err != nil {
				return err
			}
			return o.applyDelegatedAuthorization(authorization)
		}
	}
	if err := apply(); err != nil {
		return err
	}
	authentication.Authenticator = presentClients{authentication.Authenticator}
	return nil
}
