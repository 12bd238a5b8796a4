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

// applyLocalAuthorization lets system:masters do everything and everybody ask for
// health. The rest is the webhook's to decide; without one, whoever is known may
// ask what there is.
func (o *Options) applyLocalAuthorization(info *server.AuthorizationInfo) error {
	open, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths)
	if err != nil {
		return fmt.Errorf("--authorization-always-allow-paths: %w", err)
	}
	rest := authorizer.Authorizer(authorizer.AuthorizerFunc(authorizeDiscovery))
	if o.Local.AuthorizationWebhookFile != "" {
		if rest, err = o.newAuthorizationWebhook(); err != nil {
			return err
		}
	}
	info.Authorizer = union.New(
		authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup),
		authorizer.AuthorizerFunc(authorizeHealth),
		open,
		rest,
	)
	return nil
}

// authorizeHealth lets everybody ask for health.
func authorizeHealth(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if !attributes.IsResourceRequest() && isHealthPath(attributes.GetPath()) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// authorizeDiscovery lets whoever is known read what the server serves, in which
// version, but no object.
func authorizeDiscovery(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	known := attributes.GetUser() != nil && slices.Contains(attributes.GetUser().GetGroups(), user.AllAuthenticated)
	if known && !attributes.IsResourceRequest() &&
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

// webhookMetrics count the rounds to the webhook. Its HTTP requests are not
// counted again.
type webhookMetrics struct {
	webhookmetrics.NoopRequestMetrics
	webhookmetrics.WebhookMetrics
	authorizationcel.MatcherMetrics
}

var _ webhookmetrics.AuthorizerMetrics = webhookMetrics{}

// newAuthorizationWebhook returns the service of
// --authorization-webhook-config-file with a cache. It is not called before a
// request comes. Who cannot be asked has no opinion, which forbids. Errors name the
// flag and the file.
func (o *Options) newAuthorizationWebhook() (authorizer.Authorizer, error) {
	client, err := loadWebhookKubeconfig(authorizationWebhookFlag, o.Local.AuthorizationWebhookFile)
	if err != nil {
		return nil, err
	}
	allowed := o.lifetime(authorizationAllowedTTLFlag, o.Authorization.AllowCacheTTL, defaultAllowedTTL)
	denied := o.lifetime(authorizationDeniedTTLFlag, o.Authorization.DenyCacheTTL, defaultDeniedTTL)
	reviewer, err := webhook.New(client, o.Local.AuthorizationWebhookVersion, allowed, denied,
		*genericoptions.DefaultAuthWebhookRetryBackoff(), authorizer.DecisionNoOpinion, nil, authorizationWebhookTag,
		webhookMetrics{WebhookMetrics: webhookmetrics.NewWebhookMetrics(), MatcherMetrics: authorizationcel.NewMatcherMetrics()},
		authorizationcel.NewDefaultCompiler())
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authorizationWebhookFlag, o.Local.AuthorizationWebhookFile, err)
	}
	return authorizationmetrics.InstrumentedAuthorizer(string(apiserver.TypeWebhook), authorizationWebhookTag, reviewer), nil
}
