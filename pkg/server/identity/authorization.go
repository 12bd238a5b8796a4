package identity

import (
	"context"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	webhookmetrics "k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
)

// webhookTimeout is kube-apiserver's, for each request to the webhook.
const webhookTimeout = 30 * time.Second

// localAuthorizer decides about requests, and lists what users may do.
type localAuthorizer struct {
	authorizer.AuthorizerFunc
	authorizer.RuleResolver
}

// applyLocalAuthorization allows what is built in and what the RBAC file says. The webhook
// decides about other requests.
func (o *Options) applyLocalAuthorization(ctx context.Context, info *server.AuthorizationInfo) error {
	builtIn := rbacfile.NewBuiltIn(o.builtInRules())
	decide := []authorizer.AuthorizerFunc{authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup).Authorize, builtIn.Authorize}
	resolve := []authorizer.RuleResolver{builtIn}
	if file := o.Local.AuthorizationRBACFile; file != "" {
		roles := rbacfile.New()
		if err := o.reload(ctx, authorizationRBACFileFlag, file, func(_ context.Context, content []byte) error { return roles.Use(content) }); err != nil {
			return err
		}
		decide, resolve = append(decide, roles.Authorize), append(resolve, roles)
	}
	if o.Local.AuthorizationWebhookFile != "" {
		reviewer, err := o.newAuthorizationWebhook()
		if err != nil {
			return err
		}
		decide, resolve = append(decide, reviewer.Authorize), append(resolve, reviewer)
	}
	info.Authorizer = localAuthorizer{firstOpinion(decide), union.NewRuleResolvers(resolve...)}
	return nil
}

// firstOpinion is the library's union, whose signature changes with k8s.io 0.37.
func firstOpinion(all []authorizer.AuthorizerFunc) authorizer.AuthorizerFunc {
	return func(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
		var errs []error
		var reasons []string
		for _, decide := range all {
			decision, reason, err := decide(ctx, attributes)
			if decision != authorizer.DecisionNoOpinion {
				return decision, reason, err
			}
			if err != nil {
				errs = append(errs, err)
			}
			if reason != "" {
				reasons = append(reasons, reason)
			}
		}
		return authorizer.DecisionNoOpinion, strings.Join(reasons, "\n"), utilerrors.NewAggregate(errs)
	}
}

// newAuthorizationWebhook returns the webhook of --authorization-webhook-config-file
// behind a cache. It does not contact the webhook. If the webhook fails, it has no
// opinion, so that the request is not allowed.
func (o *Options) newAuthorizationWebhook() (*webhook.WebhookAuthorizer, error) {
	client, err := loadKubeconfig(authorizationWebhookFlag, o.Local.AuthorizationWebhookFile)
	if err != nil {
		return nil, err
	}
	client.Timeout, client.QPS = webhookTimeout, -1 // flow control of incoming requests limits it
	reviewer, err := webhook.New(client, o.Local.AuthorizationWebhookVersion, o.Authorization.AllowCacheTTL, o.Authorization.DenyCacheTTL,
		*genericoptions.DefaultAuthWebhookRetryBackoff(), authorizer.DecisionNoOpinion, nil, "default", webhookmetrics.NoopAuthorizerMetrics{},
		authorizationcel.NewDefaultCompiler())
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authorizationWebhookFlag, o.Local.AuthorizationWebhookFile, err)
	}
	return reviewer, nil
}

// builtInRules are what groups may do without configuration: system:masters everything,
// everybody read health and version, and authenticated users the self-reviews. These are
// kube-apiserver's cluster-admin, system:public-info-viewer and system:basic-user. Without a
// webhook, authenticated users also read discovery (system:discovery), but no object.
func (o *Options) builtInRules() map[string][]rbacv1.PolicyRule {
	readable := o.readablePaths()
	readable.NonResourceURLs = append(readable.NonResourceURLs, strings.Fields("/livez /livez/* /readyz /readyz/* /healthz /healthz/*")...)
	public := []rbacv1.PolicyRule{readable, {Verbs: []string{"get"}, NonResourceURLs: []string{"/version", "/version/"}}}
	authenticated := append([]rbacv1.PolicyRule{
		{Verbs: []string{"create"}, APIGroups: []string{authorizationv1.GroupName}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
		{Verbs: []string{"create"}, APIGroups: []string{authenticationv1.GroupName}, Resources: []string{"selfsubjectreviews"}},
	}, public...)
	if o.Local.AuthorizationWebhookFile == "" {
		authenticated = append(authenticated, rbacv1.PolicyRule{
			Verbs: []string{"get"}, NonResourceURLs: strings.Fields("/api /api/* /apis /apis/* /openapi /openapi/*"),
		})
	}
	all := []string{"*"}
	return map[string][]rbacv1.PolicyRule{
		user.SystemPrivilegedGroup: {{Verbs: all, APIGroups: all, Resources: all}, {Verbs: all, NonResourceURLs: all}},
		user.AllUnauthenticated:    public,
		user.AllAuthenticated:      authenticated,
	}
}

// readablePaths allows everybody to read the paths of a flag, as kube-apiserver's roles do.
// The library's authorizer of paths allows all methods.
func (o *Options) readablePaths() rbacv1.PolicyRule {
	rule := rbacv1.PolicyRule{Verbs: []string{"get", "head", "options"}}
	for _, path := range o.Authorization.AlwaysAllowPaths {
		rule.NonResourceURLs = append(rule.NonResourceURLs, "/"+strings.TrimPrefix(path, "/"))
	}
	return rule
}
