package identity

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
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
