package identity

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

// jwtAuthenticator accepts the tokens of the issuers in an AuthenticationConfiguration. The
// library has the issuers, and neither reads nor reloads the configuration.
type jwtAuthenticator struct {
	compiler authenticationcel.Compiler
	// issuerTimeout limits how long a reload waits for the signing keys of the issuers, and
	// grace is how long replaced issuers finish the requests under way.
	issuerTimeout, grace time.Duration
	// anonymous is from the first configuration. The authenticator of anonymous requests is
	// built from it.
	anonymous *apiserver.AnonymousAuthConfig
	current   atomic.Pointer[issuers]
}

var _ authenticator.Token = &jwtAuthenticator{}

// issuers are the issuers of one configuration. They fetch their signing keys in the background.
type issuers struct {
	authenticator.Token
	healthChecks []func() error
	cancel       context.CancelFunc
}

func newJWTAuthenticator() *jwtAuthenticator {
	return &jwtAuthenticator{compiler: authenticationcel.NewDefaultCompiler(), issuerTimeout: time.Minute, grace: time.Minute}
}

// AuthenticateToken implements authenticator.Token.
func (j *jwtAuthenticator) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	return j.current.Load().AuthenticateToken(ctx, token)
}

// use replaces the issuers by the ones of a configuration. The first one does not wait for them.
// Others do: without signing keys they would reject every token.
func (j *jwtAuthenticator) use(ctx context.Context, content []byte) error {
	configuration, err := j.decode(content)
	if err != nil {
		return err
	}
	previous := j.current.Load()
	if previous != nil && !apiequality.Semantic.DeepEqual(j.anonymous, configuration.Anonymous) {
		return errors.New("anonymous: may not change while this server runs: restart it to apply the change")
	}
	next, err := j.newIssuers(ctx, configuration.JWT)
	if err != nil {
		return err
	}
	if previous == nil {
		j.anonymous = configuration.Anonymous.DeepCopy()
		j.current.Store(next)
		return nil
	}
	if err := next.wait(ctx, j.issuerTimeout); err != nil {
		next.cancel()
		return err
	}
	j.current.Store(next)
	time.AfterFunc(j.grace, previous.cancel)
	return nil
}

// decode returns an error for unknown and duplicate fields too.
func (j *jwtAuthenticator) decode(content []byte) (*apiserver.AuthenticationConfiguration, error) {
	if len(content) == 0 {
		return nil, errors.New("must contain an AuthenticationConfiguration, but is empty")
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	object, err := runtime.Decode(serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(), content)
	if err != nil {
		return nil, fmt.Errorf("must contain an AuthenticationConfiguration as YAML or JSON: %w", err)
	}
	configuration, ok := object.(*apiserver.AuthenticationConfiguration)
	if !ok {
		return nil, fmt.Errorf("must contain an AuthenticationConfiguration, but contains another kind (%T)", object)
	}
	return configuration, validation.ValidateAuthenticationConfiguration(j.compiler, configuration, nil).ToAggregate()
}

// newIssuers returns issuers that work until ctx ends or they are cancelled. They accept every
// signing algorithm, as in kube-apiserver: their keys decide.
func (j *jwtAuthenticator) newIssuers(ctx context.Context, configured []apiserver.JWTAuthenticator) (result *issuers, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	result = &issuers{cancel: cancel}
	var tokens []authenticator.Token
	for i, issuer := range configured {
		options := oidc.Options{JWTAuthenticator: issuer, SupportedSigningAlgs: oidc.AllValidSigningAlgorithms(), Compiler: j.compiler}
		if bundle := issuer.Issuer.CertificateAuthority; bundle != "" {
			if options.CAContentProvider, err = dynamiccertificates.NewStaticCAContent("oidc-issuer", []byte(bundle)); err != nil {
				return nil, fmt.Errorf("jwt[%d].issuer.certificateAuthority: %w", i, err)
			}
		}
		token, err := oidc.New(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("jwt[%d]: %w", i, err)
		}
		tokens, result.healthChecks = append(tokens, token), append(result.healthChecks, token.HealthCheck)
	}
	result.Token = tokenunion.NewFailOnError(tokens...)
	return result, nil
}

// wait waits for the signing keys of all issuers.
func (i *issuers) wait(ctx context.Context, timeout time.Duration) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, timeout, true, func(context.Context) (bool, error) {
		last = nil
		for _, check := range i.healthChecks {
			last = errors.Join(last, check())
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("no signing keys from every JWT issuer within %s: %w", timeout, errors.Join(last, err))
	}
	return nil
}
