package identity

import (
	"fmt"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	authorizationmetrics "k8s.io/apiserver/pkg/authorization/metrics"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	webhookmetrics "k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"
)

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
