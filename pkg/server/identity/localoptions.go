package identity

import (
	"time"

	"github.com/spf13/pflag"
)

const (
	apiAudiencesFlag            = "api-audiences"
	authenticationConfigFlag    = "authentication-config"
	tokenFileFlag               = "token-auth-file" //nolint:gosec // the name of a flag, no token
	tokenWebhookFlag            = "authentication-token-webhook-config-file"
	tokenWebhookVersionFlag     = "authentication-token-webhook-version"
	tokenWebhookTTLFlag         = "authentication-token-webhook-cache-ttl"
	authorizationWebhookFlag    = "authorization-webhook-config-file"
	authorizationVersionFlag    = "authorization-webhook-version"
	authorizationAllowedTTLFlag = "authorization-webhook-cache-authorized-ttl"
	authorizationDeniedTTLFlag  = "authorization-webhook-cache-unauthorized-ttl"
)

// kube-apiserver's values, for the flags that a delegated server gives others.
const (
	defaultTokenWebhookTTL  = 2 * time.Minute
	defaultAllowedTTL       = 5 * time.Minute
	defaultDeniedTTL        = 30 * time.Second
	defaultReviewVersion    = "v1beta1"
	tokenSuccessCacheTTL    = 10 * time.Second
	tokenFailureCacheTTL    = 0 * time.Second
	webhookRequestTimeout   = 30 * time.Second
	authorizationWebhookTag = "default"
)

// LocalOptions are the sources of identity that need no kube-apiserver. An empty
// file name stands for a source that is not there.
type LocalOptions struct {
	// TokenFile is a CSV file of token, user name, UID and, optionally, groups.
	TokenFile string
	// AuthenticationConfigFile is an AuthenticationConfiguration.
	AuthenticationConfigFile string
	// OIDC are the flags for one OpenID Connect issuer.
	OIDC OIDCOptions
	// TokenWebhookFile is the kubeconfig of who reviews tokens, by TokenReview
	// of TokenWebhookVersion ("v1" or "v1beta1").
	TokenWebhookFile    string
	TokenWebhookVersion string
	// APIAudiences are the names by which tokens mean this server.
	APIAudiences []string
	// AuthorizationWebhookFile is the kubeconfig of who reviews permissions, by
	// SubjectAccessReview of AuthorizationWebhookVersion ("v1" or "v1beta1").
	AuthorizationWebhookFile    string
	AuthorizationWebhookVersion string
}

// lifetime returns how long an answer of a webhook is remembered: what the command
// line says, else the default of a server alone, not the one that the shared flag
// has for a server behind a kube-apiserver.
func (o *Options) lifetime(flag string, value, alone time.Duration) time.Duration {
	if o.flags.given(flag) {
		return value
	}
	return alone
}

func newLocalOptions() LocalOptions {
	return LocalOptions{
		OIDC:                        newOIDCOptions(),
		TokenWebhookVersion:         defaultReviewVersion,
		AuthorizationWebhookVersion: defaultReviewVersion,
	}
}

func (o *LocalOptions) addFlags(authentication, authorization *pflag.FlagSet) {
	authentication.StringVar(&o.TokenFile, tokenFileFlag, o.TokenFile,
		"CSV file of bearer tokens: token, user name, UID and, optionally, groups in quotes. Read at the start.")
	authentication.StringVar(&o.AuthenticationConfigFile, authenticationConfigFlag, o.AuthenticationConfigFile,
		"File with an AuthenticationConfiguration: the issuers of OpenID Connect tokens, and what anonymous requests may reach (without one: health). "+
			"Followed when it changes, except for what it says of anonymous requests. Not together with --oidc-*.")
	authentication.StringVar(&o.TokenWebhookFile, tokenWebhookFlag, o.TokenWebhookFile,
		"kubeconfig of the service that is asked by TokenReview who the bearer of a token is.")
	authentication.StringVar(&o.TokenWebhookVersion, tokenWebhookVersionFlag, o.TokenWebhookVersion,
		"Version of authentication.k8s.io in which that service speaks: v1 or v1beta1.")
	authentication.StringSliceVar(&o.APIAudiences, apiAudiencesFlag, o.APIAudiences,
		"Names by which tokens mean this server. A token that means only others is refused.")
	o.OIDC.addFlags(authentication)

	authorization.StringVar(&o.AuthorizationWebhookFile, authorizationWebhookFlag, o.AuthorizationWebhookFile,
		"kubeconfig of the service that is asked by SubjectAccessReview what a user may do. "+
			"Without it, and without a kube-apiserver in front, only system:masters may do more than discovery, version and health.")
	authorization.StringVar(&o.AuthorizationWebhookVersion, authorizationVersionFlag, o.AuthorizationWebhookVersion,
		"Version of authorization.k8s.io in which that service speaks: v1 or v1beta1.")
}

// given tells whether any source is named.
func (o *LocalOptions) given() bool {
	return o.TokenFile != "" || o.AuthenticationConfigFile != "" || o.OIDC.IssuerURL != "" ||
		o.TokenWebhookFile != "" || o.AuthorizationWebhookFile != ""
}
