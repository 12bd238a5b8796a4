package identity

import (
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/path"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
)

// builtInRules returns what users may do without configuration: system:masters everything,
// everybody the public paths, and authenticated users the self-reviews. These are
// kube-apiserver's cluster-admin, system:public-info-viewer and system:basic-user. Without a
// webhook, authenticated users also read discovery (system:discovery), but no object.
func (o *Options) builtInRules() (*rbacfile.Authorizer, error) {
	readable, err := o.readablePaths()
	if err != nil {
		return nil, err
	}
	for _, endpoint := range healthPaths() {
		readable.NonResourceURLs = append(readable.NonResourceURLs, endpoint, endpoint+"/*")
	}
	public := []rbacv1.PolicyRule{
		readable,
		{Verbs: []string{"get"}, NonResourceURLs: []string{"/version", "/version/"}},
	}
	authenticated := append([]rbacv1.PolicyRule{
		{Verbs: []string{"create"}, APIGroups: []string{authorizationv1.GroupName}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
		{Verbs: []string{"create"}, APIGroups: []string{authenticationv1.GroupName}, Resources: []string{"selfsubjectreviews"}},
	}, public...)
	if o.Local.AuthorizationWebhookFile == "" {
		authenticated = append(authenticated, rbacv1.PolicyRule{
			Verbs: []string{"get"}, NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"},
		})
	}
	return rbacfile.NewBuiltIn(map[string][]rbacv1.PolicyRule{
		user.SystemPrivilegedGroup: {
			{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
			{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
		},
		user.AllUnauthenticated: public,
		user.AllAuthenticated:   authenticated,
	}), nil
}

// readablePaths allows everybody to read the paths of a flag, as kube-apiserver's roles do.
// The library's authorizer of paths allows all methods.
func (o *Options) readablePaths() (rbacv1.PolicyRule, error) {
	rule := rbacv1.PolicyRule{Verbs: []string{"get", "head", "options"}}
	if _, err := path.NewAuthorizer(o.Authorization.AlwaysAllowPaths); err != nil {
		return rule, fmt.Errorf("--%s: %w", alwaysAllowPathsFlag, err)
	}
	for _, path := range o.Authorization.AlwaysAllowPaths {
		rule.NonResourceURLs = append(rule.NonResourceURLs, "/"+strings.TrimPrefix(path, "/"))
	}
	return rule, nil
}
