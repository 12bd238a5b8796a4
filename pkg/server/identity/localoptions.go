package identity

import (
	"time"

	"github.com/spf13/pflag"
)

const (
	apiAudiencesFlag                = "api-audiences"
	authenticationConfigFlag        = "authentication-config"
	tokenFileFlag                   = "token-auth-file" //nolint:gosec // the name of a flag, no token
	tokenWebhookFlag                = "authentication-token-webhook-config-file"
	tokenWebhookVersionFlag         = "authentication-token-webhook-version"
	tokenWebhookTTLFlag             = "authentication-token-webhook-cache-ttl"
	authorizationWebhookFlag        = "authorization-webhook-config-file"
	authorizationWebhookVersionFlag = "authorization-webhook-version"
	authorizedTTLFlag               = "authorization-webhook-cache-authorized-ttl"
	unauthorizedTTLFlag             = "authorization-webhook-cache-unauthorized-ttl"
)

// Values of kube-apiserver. The TTLs named local differ from the defaults of the
// library's options, which are for a server behind a kube-apiserver.
const (
	localTokenWebhookTTL = 2 * time.Minute
	localAuthorizedTTL   = 5 * time.Minute
	localUnauthorizedTTL = 30 * time.Second
	defaultReviewVersion = "v1beta1"
	tokenSuccessTTL      = 10 * time.Second
	tokenFailureTTL      = 0 * time.Second
	webhookTimeout       = 30 * time.Second
	// authorizationWebhookName labels the webhook's metrics.
	authorizationWebhookName = "default"
)

// LocalOptions are authentication and authorization without a kube-apiserver. An
// empty file name disables its authenticator or webhook.
type LocalOptions struct {
	// TokenFile is a CSV file of token, user name, UID and, optionally, groups.
	TokenFile string
	// AuthenticationConfigFile is an AuthenticationConfiguration.
	AuthenticationConfigFile string
	// OIDC is one OpenID Connect issuer.
	OIDC OIDCOptions
	// TokenWebhookFile is the kubeconfig of the webhook that answers TokenReviews of
	// TokenWebhookVersion ("v1" or "v1beta1").
	TokenWebhookFile    string
	TokenWebhookVersion string
	// APIAudiences are the accepted token audiences. Empty: audiences are not checked.
	APIAudiences []string
	// AuthorizationWebhookFile is the kubeconfig of the webhook that answers
	// SubjectAccessReviews of AuthorizationWebhookVersion ("v1" or "v1beta1").
	AuthorizationWebhookFile    string
	AuthorizationWebhookVersion string
}

// cacheTTL returns value if the flag is on the command line, else local: the flag's
// own default is for a server behind a kube-apiserver.
func (o *Options) cacheTTL(flag string, value, local time.Duration) time.Duration {
	if o.flags.changed(flag) {
		return value
	}
	return local
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
		"CSV file of bearer tokens: token, user name, UID and optionally quoted groups. Read once, at startup.")
	authentication.StringVar(&o.AuthenticationConfigFile, authenticationConfigFlag, o.AuthenticationConfigFile,
		"File with an AuthenticationConfiguration: JWT authenticators, and anonymous access (default: the health endpoints only). "+
			"Reloaded when it changes, except for anonymous access. Mutually exclusive with --oidc-*.")
	authentication.StringVar(&o.TokenWebhookFile, tokenWebhookFlag, o.TokenWebhookFile,
		"kubeconfig of the webhook that authenticates bearer tokens by TokenReview.")
	authentication.StringVar(&o.TokenWebhookVersion, tokenWebhookVersionFlag, o.TokenWebhookVersion,
		"Version of the TokenReviews (authentication.k8s.io) that the token webhook answers: v1 or v1beta1.")
	authentication.StringSliceVar(&o.APIAudiences, apiAudiencesFlag, o.APIAudiences,
		"Accepted token audiences, sent to the token webhook in TokenReviews. A token for other audiences only is rejected.")
	o.OIDC.addFlags(authentication)

	authorization.StringVar(&o.AuthorizationWebhookFile, authorizationWebhookFlag, o.AuthorizationWebhookFile,
		"kubeconfig of the webhook that authorizes requests by SubjectAccessReview. "+
			"Without it, and without a kube-apiserver in front, users outside system:masters may only read discovery, version and health.")
	authorization.StringVar(&o.AuthorizationWebhookVersion, authorizationWebhookVersionFlag, o.AuthorizationWebhookVersion,
		"Version of the SubjectAccessReviews (authorization.k8s.io) that the authorization webhook answers: v1 or v1beta1.")
}

// configured reports whether any authenticator or webhook is configured.
func (o *LocalOptions) configured() bool {
	return o.TokenFile != "" || o.AuthenticationConfigFile != "" || o.OIDC.IssuerURL != "" ||
		o.TokenWebhookFile != "" || o.AuthorizationWebhookFile != ""
}
