package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/utils/lru"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// How many accepted tokens and addresses are remembered, those used last.
const (
	rememberedTokens    = 20_000
	rememberedAddresses = 2_000
)

// errTokenRejected is returned for a token that is not reviewed.
var errTokenRejected = errors.New("too many unknown tokens")

// delegatedAuthenticator authenticates client certificates and the front proxy, then
// tokens, and treats only requests without credentials as anonymous.
type delegatedAuthenticator struct {
	certificates, tokens authenticator.Request
	// anonymous is nil if anonymous requests are rejected.
	anonymous authenticator.Request
}

var _ authenticator.Request = &delegatedAuthenticator{}

// AuthenticateRequest implements authenticator.Request.
func (a *delegatedAuthenticator) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	var errs []error
	for _, each := range []authenticator.Request{a.certificates, a.tokens} {
		if each == nil {
			continue
		}
		response, ok, err := each.AuthenticateRequest(request)
		switch {
		case ok:
			return response, true, nil
		case errors.Is(err, errTokenRejected):
			return nil, false, nil // logged by the limit, not for each request
		case err != nil:
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 || a.anonymous == nil {
		return nil, false, utilerrors.NewAggregate(errs)
	}
	return a.anonymous.AuthenticateRequest(request)
}

// limitedTokens bounds the reviews of tokens that were not accepted before. Reviews of known tokens
// never wait for them.
type limitedTokens struct {
	tokens   authenticator.Request
	limit    *reviewLimit
	accepted *lru.Cache // hashes of tokens
	// addresses has a *rate.Limiter for each address.
	addresses *lru.Cache
}

var _ authenticator.Request = &limitedTokens{}

func newLimitedTokens(tokens authenticator.Request, limit *reviewLimit) *limitedTokens {
	return &limitedTokens{tokens: tokens, limit: limit, accepted: lru.New(rememberedTokens), addresses: lru.New(rememberedAddresses)}
}

// AuthenticateRequest implements authenticator.Request.
func (l *limitedTokens) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	credentials := credentialsOf(request)
	if credentials == "" {
		return nil, false, nil
	}
	key := sha256.Sum256([]byte(credentials))
	if _, known := l.accepted.Get(key); !known {
		if !l.limiterOf(request.RemoteAddr).Allow() || !l.limit.acquire() {
			filters.FailReview(request.Context(), errTooManyReviews(l.limit.kind))
			return nil, false, errTokenRejected
		}
		defer l.limit.release()
		l.limit.sent.Reserve()
	}
	response, ok, err := l.tokens.AuthenticateRequest(request)
	switch {
	case ok:
		l.accepted.Add(key, nil)
	case isReviewFailure(err):
		filters.FailReview(request.Context(), errReviewUnavailable())
	default:
		l.accepted.Remove(key)
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

func (l *limitedTokens) limiterOf(remoteAddr string) *rate.Limiter {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	if limiter, ok := l.addresses.Get(host); ok {
		return limiter.(*rate.Limiter) //nolint:forcetypeassert // nothing else is added
	}
	limiter := rate.NewLimiter(addressTokenRate, addressTokenBurst)
	l.addresses.Add(host, limiter)
	return limiter
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

// errReviewUnavailable is what a client is told while kube-apiserver does not answer.
func errReviewUnavailable() *apierrors.StatusError {
	err := apierrors.NewServiceUnavailable("the kube-apiserver in front of this server does not review tokens now: try again later")
	err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	return err
}
