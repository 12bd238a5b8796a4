package identity

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/server"
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
