package identity

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

// jwtSet checks the tokens of the issuers of one configuration. Each issuer is
// asked for its keys in the background, from the start on.
type jwtSet struct {
	tokens authenticator.Token
	checks []func() error
	// cancel ends what runs in the background; no token can be checked afterwards.
	cancel context.CancelFunc

	// users counts the tokens being checked. The last one to leave a retired set
	// cancels it.
	users   atomic.Int64
	retired atomic.Bool
}

// newJWTSet returns a set that lives until ctx ends or retire is called.
// algorithms are the JOSE names of the signatures that are accepted.
func newJWTSet(ctx context.Context, configuration *apiserver.AuthenticationConfiguration, compiler authenticationcel.Compiler, algorithms []string) (*jwtSet, error) {
	ctx, cancel := context.WithCancel(ctx)
	set := &jwtSet{cancel: cancel}
	var tokens []authenticator.Token
	for i, issuer := range configuration.JWT {
		options := oidc.Options{JWTAuthenticator: issuer, SupportedSigningAlgs: algorithms, Compiler: compiler}
		if bundle := issuer.Issuer.CertificateAuthority; bundle != "" {
			content, err := dynamiccertificates.NewStaticCAContent("oidc-issuer", []byte(bundle))
			if err != nil {
				cancel()
				return nil, fmt.Errorf("jwt[%d].issuer.certificateAuthority: %w", i, err)
			}
			options.CAContentProvider = content
		}
		token, err := oidc.New(ctx, options)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("jwt[%d]: %w", i, err)
		}
		tokens = append(tokens, token)
		set.checks = append(set.checks, token.HealthCheck)
	}
	set.tokens = tokenunion.NewFailOnError(tokens...)
	return set, nil
}

// ready returns nil once the keys of all issuers were fetched, and otherwise why
// they were not.
func (s *jwtSet) ready() error {
	var errs []error
	for _, check := range s.checks {
		errs = append(errs, check())
	}
	return errors.Join(errs...)
}

// enter tells whether the set may be used; if so, leave must follow.
func (s *jwtSet) enter() bool {
	s.users.Add(1)
	if s.retired.Load() {
		s.leave()
		return false
	}
	return true
}

func (s *jwtSet) leave() {
	if s.users.Add(-1) == 0 && s.retired.Load() {
		s.cancel()
	}
}

// retire ends the set as soon as the tokens being checked are done with.
func (s *jwtSet) retire() {
	s.retired.Store(true)
	if s.users.Load() == 0 {
		s.cancel()
	}
}
