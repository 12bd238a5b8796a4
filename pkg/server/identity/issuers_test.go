package identity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/apis/apiserver"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
)

func TestRetiredAuthenticatorsStopAfterTheLastToken(t *testing.T) {
	tests := []struct {
		name string
		use  func(*jwtAuthenticators)
		want bool
	}{
		{"in use", func(s *jwtAuthenticators) { s.acquire() }, false},
		{"in use by one of two", func(s *jwtAuthenticators) { s.acquire(); s.acquire(); s.release() }, false},
		{"not in use", func(*jwtAuthenticators) {}, true},
		{"no longer in use", func(s *jwtAuthenticators) { s.acquire(); s.release() }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			authenticators := &jwtAuthenticators{cancel: cancel}
			test.use(authenticators)
			require.NoError(t, ctx.Err(), "nothing stops before retire")
			authenticators.retire()
			require.Equal(t, test.want, ctx.Err() != nil)
			require.False(t, authenticators.acquire(), "retired authenticators are not used")
			for authenticators.inFlight.Load() > 0 {
				authenticators.release()
			}
			require.Error(t, ctx.Err())
		})
	}
}

func TestInvalidIssuerErrorNamesItsIndex(t *testing.T) {
	good := apiserver.JWTAuthenticator{
		Issuer:        apiserver.Issuer{URL: "https://127.0.0.1:1", Audiences: []string{"a"}},
		ClaimMappings: apiserver.ClaimMappings{Username: apiserver.PrefixedClaimOrExpression{Expression: "claims.sub"}},
	}
	bad := good
	bad.Issuer.CertificateAuthority = "invalid"
	_, err := newJWTAuthenticators(t.Context(), &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{good, bad}}, authenticationcel.NewDefaultCompiler(), nil)
	require.ErrorContains(t, err, "jwt[1].issuer.certificateAuthority")
}
