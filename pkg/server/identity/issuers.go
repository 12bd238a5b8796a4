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

// newJWTAuthenticator returns the authenticator that --authentication-config or
// the --oidc-* flags configure, nil without them, and what they configure of
// anonymous requests. It does not wait for the issuers. Background work stops when
// ctx ends.
func (o *Options) newJWTAuthenticator(ctx context.Context) (authenticator.Token, *apiserver.AnonymousAuthConfig, error) {
	switch {
	case o.Local.AuthenticationConfigFile != "":
		reloader, err := newConfigReloader(ctx, o.Local.AuthenticationConfigFile, o.ServerID)
		if err != nil {
			return nil, nil, err
		}
		go reloader.run(ctx, o.reloadInterval)
		return reloader.tokens, reloader.anonymous, nil
	case o.Local.OIDC.enabled():
		token, err := o.Local.OIDC.newAuthenticator(ctx)
		return token, nil, err
	default:
		return nil, nil, nil
	}
}

// jwtAuthenticators authenticate the tokens of the issuers of one configuration.
// They fetch the issuers' signing keys in the background.
type jwtAuthenticators struct {
	union        authenticator.Token
	healthChecks []func() error
	// cancel stops the background work. No token can be authenticated afterwards.
	cancel context.CancelFunc

	// inFlight counts the tokens that are being authenticated. Once retired, the
	// last of them calls cancel.
	inFlight atomic.Int64
	retired  atomic.Bool
}

// newJWTAuthenticators returns authenticators that work until ctx ends or retire
// is called. algorithms are the accepted JOSE signing algorithms.
func newJWTAuthenticators(
	ctx context.Context, configuration *apiserver.AuthenticationConfiguration, compiler authenticationcel.Compiler, algorithms []string,
) (*jwtAuthenticators, error) {
	ctx, cancel := context.WithCancel(ctx)
	result := &jwtAuthenticators{cancel: cancel}
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
		result.healthChecks = append(result.healthChecks, token.HealthCheck)
	}
	result.union = tokenunion.NewFailOnError(tokens...)
	return result, nil
}

// healthCheck returns nil once the signing keys of all issuers were fetched, and
// before that why they were not.
func (a *jwtAuthenticators) healthCheck() error {
	var errs []error
	for _, check := range a.healthChecks {
		errs = append(errs, check())
	}
	return errors.Join(errs...)
}

// acquire reports whether the authenticators may be used; if so, release must
// follow.
func (a *jwtAuthenticators) acquire() bool {
	a.inFlight.Add(1)
	if a.retired.Load() {
		a.release()
		return false
	}
	return true
}

func (a *jwtAuthenticators) release() {
	if a.inFlight.Add(-1) == 0 && a.retired.Load() {
		a.cancel()
	}
}

// retire stops the authenticators once no token is being authenticated.
func (a *jwtAuthenticators) retire() {
	a.retired.Store(true)
	if a.inFlight.Load() == 0 {
		a.cancel()
	}
}

// dynamicJWTAuthenticators are JWT authenticators that can be replaced while
// tokens are being authenticated.
type dynamicJWTAuthenticators struct {
	current atomic.Pointer[jwtAuthenticators]
}

var _ authenticator.Token = (*dynamicJWTAuthenticators)(nil)

func newDynamicJWTAuthenticators(authenticators *jwtAuthenticators) *dynamicJWTAuthenticators {
	result := &dynamicJWTAuthenticators{}
	result.current.Store(authenticators)
	return result
}

// AuthenticateToken implements authenticator.Token.
func (d *dynamicJWTAuthenticators) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	current := d.current.Load()
	for !current.acquire() {
		current = d.current.Load()
	}
	defer current.release()
	return current.union.AuthenticateToken(ctx, token)
}

// replace puts authenticators in the place of the current ones, which it retires.
func (d *dynamicJWTAuthenticators) replace(authenticators *jwtAuthenticators) {
	d.current.Swap(authenticators).retire()
}
