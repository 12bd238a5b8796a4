package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// countReviews returns how many reviews of a kind a reviewer received.
func countReviews(r *reviewer, kind string) (count int) {
	for _, review := range r.received() {
		if review == kind {
			count++
		}
	}
	return count
}

// flood sends requests until one is rejected, and returns the others' statuses.
func flood(t *testing.T, atMost int, send func(i int) int) (statuses []int) {
	t.Helper()
	for i := range atMost {
		status := send(i)
		if status == http.StatusTooManyRequests {
			return statuses
		}
		statuses = append(statuses, status)
	}
	t.Fatalf("none of %d requests was rejected", atMost)
	return nil
}

func TestReviewsOfAnonymousClientsAreLimitedApartFromThoseOfUsers(t *testing.T) {
	cluster := newReviewer(t)
	cluster.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}}
	cluster.allow = func(spec authorizationv1.SubjectAccessReviewSpec) bool { return spec.User == "alice" }
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup"), "")

	answered := flood(t, 50*unauthenticatedReviewBurst, func(i int) int { return server.request(fmt.Sprintf("/random/%d", i), nil, nil).Status })
	require.GreaterOrEqual(t, len(answered), unauthenticatedReviewBurst)
	require.Equal(t, []int{http.StatusForbidden}, slices.Compact(answered))
	require.Equal(t, len(answered), countReviews(cluster, "authorization.k8s.io/v1 SubjectAccessReview"), "a rejected request causes no review")
	require.Equal(t, http.StatusOK, server.request("/readyz", nil, nil).Status, "probes need no review")
	require.Equal(t, known("alice"), server.withToken("/apis/new-permission", "secret"))
}

func TestUnknownTokensAreLimitedApartFromKnownOnes(t *testing.T) {
	cluster := newReviewer(t)
	cluster.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}}
	cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup",
		"--authentication-token-webhook-cache-ttl=1ns"), "")
	require.Equal(t, known("alice"), server.withToken(objects, "secret"))

	answered := flood(t, 50*addressTokenBurst, func(i int) int { return server.withToken(objects, fmt.Sprintf("guess-%d", i)).Status })
	require.GreaterOrEqual(t, len(answered), addressTokenBurst-1)
	require.Equal(t, []int{http.StatusUnauthorized}, slices.Compact(answered), "no invalid token is anonymous")
	require.Equal(t, len(answered)+1, countReviews(cluster, "authentication.k8s.io/v1 TokenReview"))
	require.Equal(t, known("alice"), server.withToken(objects, "secret"), "reviewed again, although unknown tokens are rejected")
	delete(cluster.users, "secret")
	flood(t, 50*addressTokenBurst, func(int) int { return server.withToken(objects, "secret").Status })
}

// Each client may send many requests at once, from many ports.
func TestUnknownTokensAreLimitedByAddressAndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := newLimitedTokens(authenticator.TokenFunc(func(context.Context, string) (*authenticator.Response, bool, error) { return nil, false, nil }))
		sent := 0
		// reviewed returns how many tokens from an address are reviewed before one is rejected.
		reviewed := func(address string) (count int) {
			for {
				request := httptest.NewRequest(http.MethodGet, objects, nil)
				request.RemoteAddr = fmt.Sprintf("%s:%d", address, 1024+sent)
				request.Header.Set("Authorization", fmt.Sprintf("Bearer guess-%d", sent))
				sent++
				if _, _, err := limited.AuthenticateRequest(request); errors.Is(err, errTooMany) {
					return count
				}
				count++
			}
		}
		require.Equal(t, 50, reviewed("10.0.0.0"), "from one address")
		all := 50
		for i := range 1000 {
			all += reviewed(fmt.Sprintf("10.0.1.%d", i))
		}
		require.Equal(t, 200, all, "together")
		<-time.After(time.Second)
		require.LessOrEqual(t, reviewed("10.0.0.0"), 10, "from one address in a second")
		<-time.After(time.Minute)
		for i := range 1000 {
			reviewed(fmt.Sprintf("10.0.2.%d", i))
		}
		<-time.After(time.Second)
		all = 0
		for i := range 1000 {
			all += reviewed(fmt.Sprintf("10.0.3.%d", i)) + reviewed(fmt.Sprintf("10.0.2.%d", i))
		}
		require.LessOrEqual(t, all, 50, "together in a second")
	})
}

func TestTokensAreAnswered503WhileKubeAPIServerIsAway(t *testing.T) {
	cluster := newReviewer(t)
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup"), "")
	require.Equal(t, http.StatusUnauthorized, server.withToken(objects, "guess").Status)
	cluster.web.Close()
	require.Equal(t, http.StatusServiceUnavailable, server.withToken(objects, "secret").Status)
}

// Clients that arrive together all find room, and the transport sends no more than the limit.
func TestReviewsThatArriveTogetherAreLimited(t *testing.T) {
	limit, sent := newAccessLimit(), 0
	transport := limit.transport(roundTripper(func(*http.Request) (*http.Response, error) { sent++; return nil, nil }))
	for range 2 * unauthenticatedReviewBurst {
		_, _ = transport.RoundTrip(httptest.NewRequest(http.MethodPost, "/", nil)) //nolint:bodyclose // there is no answer
	}
	require.InDelta(t, unauthenticatedReviewBurst, sent, unauthenticatedReviewRate)

	// The client of the transport queues requests. Later ones do not reach it.
	decision, _, err := limit.authorizer(nil, nil).Authorize(t.Context(), authorizer.AttributesRecord{User: &user.DefaultInfo{Name: user.Anonymous}})
	require.NoError(t, err)
	require.Equal(t, authorizer.DecisionNoOpinion, decision)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
