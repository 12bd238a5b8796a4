package identity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/apis/apiserver"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
)

func TestRetiredSetEndsWithItsLastUser(t *testing.T) {
	tests := []struct {
		name string
		use  func(*jwtSet)
		want bool
	}{
		{"in use", func(s *jwtSet) { s.enter() }, false},
		{"in use by one of two", func(s *jwtSet) { s.enter(); s.enter(); s.leave() }, false},
		{"not in use", func(*jwtSet) {}, true},
		{"no longer in use", func(s *jwtSet) { s.enter(); s.leave() }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			set := &jwtSet{cancel: cancel}
			test.use(set)
			require.NoError(t, ctx.Err(), "nothing ends before the set is retired")
			set.retire()
			require.Equal(t, test.want, ctx.Err() != nil)
			require.False(t, set.enter(), "nobody uses a retired set")
			for set.users.Load() > 0 {
				set.leave()
			}
			require.Error(t, ctx.Err())
		})
	}
}

func TestBadIssuerIsToldByItsPlace(t *testing.T) {
	good := apiserver.JWTAuthenticator{
		Issuer:        apiserver.Issuer{URL: "https://127.0.0.1:1", Audiences: []string{"a"}},
		ClaimMappings: apiserver.ClaimMappings{Username: apiserver.PrefixedClaimOrExpression{Expression: "claims.sub"}},
	}
	bad := good
	bad.Issuer.CertificateAuthority = "nonsense"
	_, err := newJWTSet(t.Context(), &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{good, bad}}, authenticationcel.NewDefaultCompiler(), nil)
	require.ErrorContains(t, err, "jwt[1].issuer.certificateAuthority")
}
