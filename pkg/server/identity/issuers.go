package identity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

// jwtSource is what --authentication-config or the --oidc-* flags give.
type jwtSource struct {
	// tokens checks tokens; nil if neither was given.
	tokens authenticator.Token
	// anonymous is what was said of anonymous requests, nil for nothing.
	anonymous *apiserver.AnonymousAuthConfig
}

// newJWTSource returns at once, whether or not the issuers can be reached. What
// runs in the background ends with ctx.
func (o *Options) newJWTSource(ctx context.Context) (*jwtSource, error) {
	switch {
	case o.Local.AuthenticationConfigFile != "":
		return jwtFromFile(ctx, o.Local.AuthenticationConfigFile, o.ServerID, o.reloadInterval)
	case o.Local.OIDC.enabled():
		return jwtFromFlags(ctx, &o.Local.OIDC)
	default:
		return &jwtSource{}, nil
	}
}

func jwtFromFlags(ctx context.Context, flags *OIDCOptions) (*jwtSource, error) {
	configuration, err := flags.configuration()
	if err != nil {
		return nil, err
	}
	set, err := newJWTSet(ctx, configuration, authenticationcel.NewDefaultCompiler(), flags.SigningAlgs)
	if err != nil {
		return nil, fmt.Errorf("--oidc-* flags: %w", err)
	}
	return &jwtSource{tokens: set.tokens}, nil
}

func jwtFromFile(ctx context.Context, file, serverID string, interval time.Duration) (*jwtSource, error) {
	reader := newConfigReader(authenticationcel.NewDefaultCompiler())
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable file: %w", authenticationConfigFlag, file, err)
	}
	configuration, err := reader.read(data)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authenticationConfigFlag, file, err)
	}
	// An issuer of a configuration file may sign as it likes; its keys decide.
	build := func(configuration *apiserver.AuthenticationConfiguration) (*jwtSet, error) {
		return newJWTSet(ctx, configuration, reader.compiler, oidc.AllValidSigningAlgorithms())
	}
	set, err := build(configuration)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authenticationConfigFlag, file, err)
	}
	tokens := newJWTSwitch(set)
	follower := newConfigFollower(file, reader, data, configuration.Anonymous, build, tokens, serverID)
	go follower.run(ctx, interval)
	return &jwtSource{tokens: tokens, anonymous: configuration.Anonymous}, nil
}

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
