package identity

import (
	"context"
	"sync/atomic"

	"k8s.io/apiserver/pkg/authentication/authenticator"
)

// jwtSwitch checks tokens with a set that can be replaced while requests come.
type jwtSwitch struct {
	current atomic.Pointer[jwtSet]
}

var _ authenticator.Token = (*jwtSwitch)(nil)

func newJWTSwitch(set *jwtSet) *jwtSwitch {
	result := &jwtSwitch{}
	result.current.Store(set)
	return result
}

// AuthenticateToken implements authenticator.Token.
func (s *jwtSwitch) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	set := s.current.Load()
	for !set.enter() {
		set = s.current.Load()
	}
	defer set.leave()
	return set.tokens.AuthenticateToken(ctx, token)
}

// replace puts a set in the place of the current one, which ends once it is no
// longer in use.
func (s *jwtSwitch) replace(set *jwtSet) {
	s.current.Swap(set).retire()
}
