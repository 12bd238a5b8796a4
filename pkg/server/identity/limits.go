package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/lru"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// Limits of the reviews that this server sends to kube-apiserver for clients it does
// not know: how many a second, and at once after a pause. Reviews for known users have the
// limits of the library's clients, 200 a second, and their own cache. A request beyond a limit
// is rejected, not queued: a queue of hostile requests would delay the others in it.
const (
	// Of SubjectAccessReviews for unauthenticated clients.
	unauthenticatedReviewRate  = 10
	unauthenticatedReviewBurst = 50
	// Of TokenReviews for tokens that were not accepted before, of all addresses from which no token
	// was invalid so far, as after a restart.
	unknownTokenRate  = 30
	unknownTokenBurst = 150
	// Of the same, of all addresses from which the last unknown token was invalid. Each has an equal part.
	suspectTokenRate  = 20
	suspectTokenBurst = 50
	// Of the same, from one address.
	addressTokenRate  = 10
	addressTokenBurst = 50

	// How many accepted tokens and addresses are remembered, those used last.
	rememberedTokens    = 20_000
	rememberedAddresses = 20_000
)

// errTooMany is returned for a review that is not sent.
var errTooMany = errors.New("too many reviews of unknown clients")

// limitedTokens bounds the reviews of tokens that were not accepted before. Reviews of known tokens
// never wait for them.
type limitedTokens struct {
	tokens    authenticator.Request
	addresses *addressLimits
	accepted  *lru.Cache // hashes of tokens
}

var _ authenticator.Request = &limitedTokens{}

func newLimitedTokens(tokens authenticator.Token) *limitedTokens {
	return &limitedTokens{
		tokens:    union.New(bearertoken.New(tokens), websocket.NewProtocolAuthenticator(tokens)),
		addresses: newAddressLimits(),
		accepted:  lru.New(rememberedTokens),
	}
}

// AuthenticateRequest implements authenticator.Request.
func (l *limitedTokens) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	credentials := credentialsOf(request)
	if credentials == "" {
		return nil, false, nil
	}
	key := sha256.Sum256([]byte(credentials))
	if _, known := l.accepted.Get(key); !known && !l.addresses.allow(request.RemoteAddr, time.Now()) {
		filters.FailReview(request.Context(), errTooManyReviews("TokenReview"))
		return nil, false, errTooMany
	}
	response, ok, err := l.tokens.AuthenticateRequest(request)
	switch {
	case ok:
		l.accepted.Add(key, nil)
		l.addresses.note(request.RemoteAddr, true, time.Now())
	case isReviewFailure(err):
		filters.FailReview(request.Context(), errReviewUnavailable())
	default:
		l.accepted.Remove(key)
		l.addresses.note(request.RemoteAddr, false, time.Now())
	}
	return response, ok, err
}

// credentialsOf returns the headers that may hold a token, empty if there are none.
func credentialsOf(request *http.Request) string {
	authorization := strings.TrimSpace(request.Header.Get("Authorization"))
	protocols := ""
	if header := strings.Join(request.Header.Values("Sec-WebSocket-Protocol"), ","); strings.Contains(header, "base64url.bearer.authorization.k8s.io.") {
		protocols = header
	}
	if authorization == "" && protocols == "" {
		return ""
	}
	return authorization + "\n" + protocols
}

// isReviewFailure reports whether a TokenReview has no result, unlike one that says
// that the token is invalid.
func isReviewFailure(err error) bool {
	if aggregate := utilerrors.Aggregate(nil); errors.As(err, &aggregate) {
		return slices.ContainsFunc(utilerrors.Flatten(aggregate).Errors(), isReviewFailure)
	}
	var connection *url.Error
	var status apierrors.APIStatus
	return errors.As(err, &connection) || errors.As(err, &status) || errors.Is(err, context.DeadlineExceeded)
}

// accessLimit bounds the SubjectAccessReviews of unauthenticated clients that are sent. Answers
// from a cache count for nothing.
type accessLimit struct{ *rate.Limiter }

func newAccessLimit() accessLimit {
	return accessLimit{rate.NewLimiter(unauthenticatedReviewRate, unauthenticatedReviewBurst)}
}

// authorizer asks one authorizer about users and another about unauthenticated clients. The other
// has the transport, and queues requests: a client beyond the limit does not reach it.
func (l accessLimit) authorizer(users, unauthenticated authorizer.Authorizer) authorizer.AuthorizerFunc {
	return func(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
		if !filters.IsUnauthenticated(attributes.GetUser()) {
			return users.Authorize(ctx, attributes)
		}
		if l.Tokens() < 1 {
			filters.FailReview(ctx, errTooManyReviews("SubjectAccessReview"))
			return authorizer.DecisionNoOpinion, errTooMany.Error(), nil
		}
		return unauthenticated.Authorize(ctx, attributes)
	}
}

// transport sends what the limit allows.
func (l accessLimit) transport(next http.RoundTripper) http.RoundTripper {
	return limitedTransport{next, l}
}

type limitedTransport struct {
	http.RoundTripper
	limit accessLimit
}

// RoundTrip implements http.RoundTripper.
func (t limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !t.limit.Allow() { // requests arrived together
		filters.FailReview(request.Context(), errTooManyReviews("SubjectAccessReview"))
		return nil, errTooMany
	}
	return t.RoundTripper.RoundTrip(request)
}

// errTooManyReviews is what a rejected client is told.
func errTooManyReviews(kind string) *apierrors.StatusError {
	return apierrors.NewTooManyRequests("this server is asked for too many "+kind+"s of clients that it does not know: try again later", 1)
}

// errReviewUnavailable is what a client is told while kube-apiserver does not answer.
func errReviewUnavailable() *apierrors.StatusError {
	err := apierrors.NewServiceUnavailable("the kube-apiserver in front of this server does not review tokens now: try again later")
	err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	return err
}
