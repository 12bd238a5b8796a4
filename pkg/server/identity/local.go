package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	authenticationunion "k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	authorizationmetrics "k8s.io/apiserver/pkg/authorization/metrics"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	webhookmetrics "k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
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
	authorizationRBACFileFlag       = "authorization-rbac-file"
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
	// AuthorizationRBACFile has ClusterRoles and ClusterRoleBindings.
	AuthorizationRBACFile string
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
		"File with an AuthenticationConfiguration: JWT authenticators, and anonymous access (default: the health endpoints and /version only). "+
			"Reloaded when it changes, except for anonymous access. Mutually exclusive with --oidc-*.")
	authentication.StringVar(&o.TokenWebhookFile, tokenWebhookFlag, o.TokenWebhookFile,
		"kubeconfig of the webhook that authenticates bearer tokens by TokenReview.")
	authentication.StringVar(&o.TokenWebhookVersion, tokenWebhookVersionFlag, o.TokenWebhookVersion,
		"Version of the TokenReviews (authentication.k8s.io) that the token webhook answers: v1 or v1beta1.")
	authentication.StringSliceVar(&o.APIAudiences, apiAudiencesFlag, o.APIAudiences,
		"Accepted token audiences, sent to the token webhook in TokenReviews. A token for other audiences only is rejected.")
	o.OIDC.addFlags(authentication)

	authorization.StringVar(&o.AuthorizationWebhookFile, authorizationWebhookFlag, o.AuthorizationWebhookFile,
		"kubeconfig of the webhook that authorizes requests by SubjectAccessReview. Without it, without --authorization-rbac-file and "+
			"without a kube-apiserver in front, users outside system:masters may only read discovery, version and health.")
	authorization.StringVar(&o.AuthorizationWebhookVersion, authorizationWebhookVersionFlag, o.AuthorizationWebhookVersion,
		"Version of the SubjectAccessReviews (authorization.k8s.io) that the authorization webhook answers: v1 or v1beta1.")
	authorization.StringVar(&o.AuthorizationRBACFile, authorizationRBACFileFlag, o.AuthorizationRBACFile,
		"YAML file of ClusterRoles and ClusterRoleBindings (rbac.authorization.k8s.io/v1), for a server without a kube-apiserver in front. "+
			"Reloaded when it changes; the last valid one stays in force. What it does not allow, the authorization webhook decides, if there is one.")
}

// configured reports whether any authenticator or webhook is configured.
func (o *LocalOptions) configured() bool {
	return o.TokenFile != "" || o.AuthenticationConfigFile != "" || o.OIDC.IssuerURL != "" ||
		o.TokenWebhookFile != "" || o.AuthorizationWebhookFile != "" || o.AuthorizationRBACFile != ""
}

// applyLocalAuthentication sets the authenticators in kube-apiserver's order: front
// proxy, client certificate, tokens checked in this process, tokens checked by the
// webhook and, without any credentials, anonymous.
func (o *Options) applyLocalAuthentication(ctx context.Context, info *server.AuthenticationInfo, serving *server.SecureServingInfo, ownCAFile string) error {
	audiences := authenticator.Audiences(o.Local.APIAudiences)
	info.APIAudiences = audiences

	authenticators, err := o.certificateAuthenticators(info, serving, ownCAFile)
	if err != nil {
		return err
	}
	jwt, anonymousConfig, err := o.newJWTAuthenticator(ctx)
	if err != nil {
		return err
	}
	tokens, err := o.tokenAuthenticators(jwt, audiences)
	if err != nil {
		return err
	}
	if len(tokens) > 0 {
		token := tokencache.New(tokenunion.New(tokens...), true, tokenSuccessTTL, tokenFailureTTL)
		authenticators = append(authenticators, bearertoken.New(token), websocket.NewProtocolAuthenticator(token))
	}
	result := group.NewAuthenticatedGroupAdder(authenticationunion.New(authenticators...))
	if !o.AnonymousAuth && anonymousConfig != nil {
		return fmt.Errorf("--%s=false and anonymous in --%s=%s are mutually exclusive: remove one of the two",
			anonymousAuthFlag, authenticationConfigFlag, o.Local.AuthenticationConfigFile)
	}
	if anonymous := newAnonymous(anonymousConfig); anonymous != nil && o.AnonymousAuth {
		// Invalid credentials are rejected, not treated as anonymous.
		result = authenticationunion.NewFailOnError(result, anonymous)
	}
	info.Authenticator = result
	return nil
}

// applyLocalAuthorization allows what is built in and what the RBAC file says. The webhook
// decides about other requests. The file is reloaded until ctx ends. The authorizer
// resolves rules, too.
func (o *Options) applyLocalAuthorization(ctx context.Context, info *server.AuthorizationInfo) error {
	builtIn, err := o.builtInRules()
	if err != nil {
		return err
	}
	authorizers := []namedAuthorizer{
		{"privileged-groups", authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)},
		{"built-in", authorizer.AuthorizerFunc(builtIn.Authorize)},
	}
	resolvers := []authorizer.RuleResolver{builtIn}
	if file := o.Local.AuthorizationRBACFile; file != "" {
		roles, err := rbacfile.New(file)
		if err != nil {
			return fmt.Errorf("--%s=%s: %w", authorizationRBACFileFlag, file, err)
		}
		go roles.Run(ctx, o.reloadInterval)
		authorizers = append(authorizers, namedAuthorizer{"RBAC", authorizationmetrics.InstrumentedAuthorizer("RBAC", "file", authorizer.AuthorizerFunc(roles.Authorize))})
		resolvers = append(resolvers, roles)
	}
	if o.Local.AuthorizationWebhookFile != "" {
		reviewer, err := o.newAuthorizationWebhook()
		if err != nil {
			return err
		}
		authorizers = append(authorizers, namedAuthorizer{"webhook", authorizationmetrics.InstrumentedAuthorizer(string(apiserver.TypeWebhook), authorizationWebhookName, reviewer)})
		resolvers = append(resolvers, reviewer)
	}
	decides, err := newAuthorizerUnion(authorizers...)
	info.Authorizer = localAuthorizer{decides, union.NewRuleResolvers(resolvers...)}
	return err
}

// localAuthorizer decides about requests, and lists what users may do.
type localAuthorizer struct {
	authorizer.Authorizer
	authorizer.RuleResolver
}

// webhookMetrics count the webhook's decisions, but not its HTTP requests.
type webhookMetrics struct {
	webhookmetrics.NoopRequestMetrics
	webhookmetrics.WebhookMetrics
	authorizationcel.MatcherMetrics
}

var _ webhookmetrics.AuthorizerMetrics = webhookMetrics{}

// newAuthorizationWebhook returns the webhook of --authorization-webhook-config-file
// behind a cache. It does not contact the webhook. If the webhook fails, it has no
// opinion, so that the request is not allowed. Errors name the flag and the file.
func (o *Options) newAuthorizationWebhook() (*webhook.WebhookAuthorizer, error) {
	client, err := loadWebhookKubeconfig(authorizationWebhookFlag, o.Local.AuthorizationWebhookFile)
	if err != nil {
		return nil, err
	}
	authorizedTTL := o.cacheTTL(authorizedTTLFlag, o.Authorization.AllowCacheTTL, localAuthorizedTTL)
	unauthorizedTTL := o.cacheTTL(unauthorizedTTLFlag, o.Authorization.DenyCacheTTL, localUnauthorizedTTL)
	reviewer, err := webhook.New(client, o.Local.AuthorizationWebhookVersion, authorizedTTL, unauthorizedTTL,
		*genericoptions.DefaultAuthWebhookRetryBackoff(), authorizer.DecisionNoOpinion, nil, authorizationWebhookName,
		webhookMetrics{WebhookMetrics: webhookmetrics.NewWebhookMetrics(), MatcherMetrics: authorizationcel.NewMatcherMetrics()},
		authorizationcel.NewDefaultCompiler())
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authorizationWebhookFlag, o.Local.AuthorizationWebhookFile, err)
	}
	return reviewer, nil
}
