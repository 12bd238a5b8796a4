package server

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// reviewer is an authorizer that allows one user and counts its reviews. Each takes a
// second.
type reviewer struct {
	authorizer.Authorizer // in k8s.io 0.37 it has more methods
	reviews               atomic.Int32
	instant               bool
	err                   error
}

const reader = "reader"

func (r *reviewer) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	r.reviews.Add(1)
	if ctx.Err() != nil {
		return authorizer.DecisionNoOpinion, "", ctx.Err()
	}
	if !r.instant {
		<-time.After(time.Second)
	}
	reads := a.IsResourceRequest() && a.GetVerb() == "get" && a.GetResource() == "flowschemas" && a.GetAPIGroup() == "flowcontrol.apiserver.k8s.io"
	if reads && a.GetUser().GetName() == reader {
		return authorizer.DecisionAllow, "", r.err
	}
	return authorizer.DecisionNoOpinion, "", r.err
}

func named(name string, groups ...string) user.Info {
	return &user.DefaultInfo{Name: name, Groups: groups}
}

func TestLocalAuthorizerIsAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readers := newRejectionReaders(&reviewer{}, true)
		assert.True(t, readers.include(t.Context(), named(reader)))
		assert.False(t, readers.include(t.Context(), named("guest")))
		assert.False(t, newRejectionReaders(&reviewer{err: errors.New("broken")}, true).include(t.Context(), named(reader)))
	})
}

func TestRejectedRequestDoesNotWaitForARemoteAuthorizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remote := &reviewer{}
		readers := newRejectionReaders(remote, false)
		ctx, cancel := context.WithCancel(t.Context())
		begin := time.Now()
		assert.False(t, readers.include(ctx, named(reader)), "the authorizer has not answered yet")
		assert.False(t, readers.include(ctx, named("guest")), "one review at a time")
		assert.Equal(t, begin, time.Now())
		cancel() // the request ends
		<-time.After(2 * time.Second)
		assert.True(t, readers.include(t.Context(), named(reader)))
		assert.False(t, readers.include(t.Context(), named("guest")))
		<-time.After(2 * time.Second)
		assert.False(t, readers.include(t.Context(), named("guest")))
		assert.EqualValues(t, 2, remote.reviews.Load(), "decisions are kept")

		<-time.After(decisionTTL)
		assert.False(t, readers.include(t.Context(), named(reader)), "decisions expire")
		synctest.Wait()
		<-time.After(2 * time.Second)
	})
}

func TestReviewsAreFewHoweverManyUsersAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remote := &reviewer{instant: true}
		readers := newRejectionReaders(remote, false)
		for i := range 1000 {
			readers.include(t.Context(), named(string(rune('a'+i))))
			synctest.Wait()
		}
		assert.EqualValues(t, reviewsPerSecond, remote.reviews.Load())
		<-time.After(time.Second)
		readers.include(t.Context(), named(reader))
		synctest.Wait()
		assert.True(t, readers.include(t.Context(), named(reader)), "reviews go on afterwards")
	})
}

func TestUsersAreToldApartByAllThatTheAuthorizerSees(t *testing.T) {
	users := []user.Info{
		named("a"), named("b"), named("a", "g"), named("a", "g", "h"), named("a", "gh"), named("a", ""),
		&user.DefaultInfo{Name: "a", UID: "1"},
		&user.DefaultInfo{Name: "a", Extra: map[string][]string{"k": {"v"}}},
		&user.DefaultInfo{Name: "a", Extra: map[string][]string{"k": {"v", "w"}}},
		&user.DefaultInfo{Name: "a", Extra: map[string][]string{"k": {"v"}, "l": {"w"}}},
	}
	keys := map[userKey]bool{}
	for range 2 { // a user has the same key each time
		for _, u := range users {
			keys[userKeyOf(u)] = true
		}
	}
	assert.Len(t, keys, len(users))
}
