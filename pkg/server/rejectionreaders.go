package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	clientflowcontrol "k8s.io/client-go/util/flowcontrol"
)

const (
	// keptDecisions is the number of users whose decisions are kept.
	keptDecisions = 1024
	// decisionTTL is for how long.
	decisionTTL = time.Minute
	// reviewsPerSecond bounds the reviews, and reviewTimeout each of them.
	reviewsPerSecond = 10
	reviewTimeout    = 5 * time.Second
)

// rejectionReaders decides whose rejected requests are explained: of users who may get
// flow schemas.
//
// It is asked by a server that is overloaded, about users who send too much. So it never
// waits. A local authorizer answers at once. An authorizer that asks another server is
// asked in the background, about one user at a time, and its decision applies to later
// rejections of the user. Until then the user is told nothing.
type rejectionReaders struct {
	authorizer authorizer.Authorizer
	local      bool

	// What follows is not used with a local authorizer.
	decisions *cache.LRUExpireCache // by userKey: bool
	rate      clientflowcontrol.PassiveRateLimiter
	reviewing chan struct{} // full while a review is under way
}

func newRejectionReaders(a authorizer.Authorizer, local bool) *rejectionReaders {
	return &rejectionReaders{
		authorizer: a,
		local:      local,
		decisions:  cache.NewLRUExpireCache(keptDecisions),
		rate:       clientflowcontrol.NewTokenBucketPassiveRateLimiter(reviewsPerSecond, reviewsPerSecond),
		reviewing:  make(chan struct{}, 1),
	}
}

// include reports whether a user is known to be a reader.
func (r *rejectionReaders) include(ctx context.Context, requester user.Info) bool {
	if r.local {
		return r.review(ctx, requester)
	}
	key := userKeyOf(requester)
	if allowed, known := r.decisions.Get(key); known {
		return allowed == true
	}
	select {
	case r.reviewing <- struct{}{}:
	default:
		return false // another review is under way
	}
	if !r.rate.TryAccept() {
		<-r.reviewing
		return false
	}
	go r.decide(key, requester) //nolint:gosec // not with the context of the request: see decide
	return false
}

// decide keeps the decision about a user. It has a context of its own: the request's ends with the
// request, and so does its audit event.
func (r *rejectionReaders) decide(key userKey, requester user.Info) {
	defer func() { <-r.reviewing }()
	ctx, cancel := context.WithTimeout(context.Background(), reviewTimeout)
	defer cancel()
	r.decisions.Add(key, r.review(ctx, requester), decisionTTL)
}

// review asks the authorizer. A failure means no.
func (r *rejectionReaders) review(ctx context.Context, requester user.Info) bool {
	decision, _, err := r.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: requester, Verb: "get",
		APIGroup: flowcontrolv1.GroupName, APIVersion: flowcontrolv1.SchemeGroupVersion.Version, Resource: "flowschemas",
		ResourceRequest: true,
	})
	return err == nil && decision == authorizer.DecisionAllow
}

// userKey identifies everything that the authorizer knows about a user, in constant
// memory.
type userKey [sha256.Size]byte

func userKeyOf(u user.Info) userKey {
	return sha256.Sum256(fmt.Appendf(nil, "%q", []any{u.GetName(), u.GetUID(), u.GetGroups(), u.GetExtra()})) // sorts extra
}
