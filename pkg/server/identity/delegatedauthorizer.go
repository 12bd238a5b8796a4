package identity

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// delegatedAuthorizer authorizes unauthenticated clients apart from users, with a
// client, limits and a cache of their own. Impersonation is authorized as the client
// that attempts it, before flow control, so that flow control cannot bound it.
type delegatedAuthorizer struct {
	users           authorizer.Authorizer
	unauthenticated authorizer.Authorizer
	limit           *reviewLimit
}

func newDelegatedAuthorizer(options genericoptions.DelegatingAuthorizationOptions) (*delegatedAuthorizer, error) {
	limit := newReviewLimit("SubjectAccessReview", unauthenticatedReviewRate, unauthenticatedReviewBurst, unauthenticatedReviewsInFlight)
	var users, unauthenticated server.AuthorizationInfo
	if err := options.ApplyTo(&users); err != nil {
		return nil, err
	}
	options.WithCustomRoundTripper(limit.counting)
	if err := options.ApplyTo(&unauthenticated); err != nil {
		return nil, err
	}
	return &delegatedAuthorizer{users: users.Authorizer, unauthenticated: unauthenticated.Authorizer, limit: limit}, nil
}

// Authorize is an authorizer.AuthorizerFunc.
func (a *delegatedAuthorizer) Authorize(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if !filters.IsUnauthenticated(attributes.GetUser()) {
		return a.users.Authorize(ctx, attributes)
	}
	if !a.limit.acquire() {
		rejection := errTooManyReviews(a.limit.kind)
		filters.FailReview(ctx, rejection)
		return authorizer.DecisionNoOpinion, rejection.Error(), nil
	}
	defer a.limit.release()
	return a.unauthenticated.Authorize(ctx, attributes)
}
