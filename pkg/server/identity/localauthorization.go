package identity

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	authorizationmetrics "k8s.io/apiserver/pkg/authorization/metrics"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	webhookmetrics "k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"
)

// applyLocalAuthorization allows system:masters everything, and everybody the health
// endpoints. The webhook decides about other requests; without one, authenticated
// users may read discovery and the version.
func (o *Options) applyLocalAuthorization(info *server.AuthorizationInfo) error {
	alwaysAllowed, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths)
	if err != nil {
		return fmt.Errorf("--%s: %w", alwaysAllowPathsFlag, err)
	}
	fallback := authorizer.Authorizer(authorizer.AuthorizerFunc(authorizeDiscovery))
	if o.Local.AuthorizationWebhookFile != "" {
		if fallback, err = o.newAuthorizationWebhook(); err != nil {
			return err
		}
	}
	info.Authorizer = union.New(
		authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup),
		authorizer.AuthorizerFunc(authorizeHealth),
		alwaysAllowed,
		fallback,
	)
	return nil
}

// authorizeHealth allows everybody the health endpoints.
func authorizeHealth(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if !attributes.IsResourceRequest() && isHealthPath(attributes.GetPath()) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// authorizeDiscovery allows authenticated users to read discovery, OpenAPI and the
// version, but no object.
func authorizeDiscovery(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	authenticated := attributes.GetUser() != nil && slices.Contains(attributes.GetUser().GetGroups(), user.AllAuthenticated)
	if authenticated && !attributes.IsResourceRequest() &&
		strings.EqualFold(attributes.GetVerb(), http.MethodGet) && isDiscoveryPath(attributes.GetPath()) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

func isDiscoveryPath(path string) bool {
	for _, root := range []string{"/api", "/apis", "/openapi"} {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return path == "/version" || path == "/version/"
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
func (o *Options) newAuthorizationWebhook() (authorizer.Authorizer, error) {
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
	return authorizationmetrics.InstrumentedAuthorizer(string(apiserver.TypeWebhook), authorizationWebhookName, reviewer), nil
}
