package identity

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/klog/v2"
)

// bodyVerbosity is the verbosity at which client-go logs bodies of requests. Bodies of TokenReviews
// contain tokens.
const bodyVerbosity = 8

// quietTokens keeps tokens out of the log: what the delegate logs with the logger of its
// context ends below bodyVerbosity.
type quietTokens struct{ delegate authenticator.Token }

var _ authenticator.Token = quietTokens{}

// AuthenticateToken implements authenticator.Token.
func (q quietTokens) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	quiet := logr.New(quietSink{klog.FromContext(ctx).GetSink()})
	return q.delegate.AuthenticateToken(klog.NewContext(ctx, quiet), token)
}

// quietSink is a sink that bodies are not logged to.
type quietSink struct{ logr.LogSink }

var _ logr.LogSink = quietSink{}

// Init implements logr.LogSink. The sink was initialized before.
func (s quietSink) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink.
func (s quietSink) Enabled(level int) bool { return level < bodyVerbosity && s.LogSink.Enabled(level) }

// WithValues implements logr.LogSink.
func (s quietSink) WithValues(keysAndValues ...any) logr.LogSink {
	return quietSink{s.LogSink.WithValues(keysAndValues...)}
}

// WithName implements logr.LogSink.
func (s quietSink) WithName(name string) logr.LogSink { return quietSink{s.LogSink.WithName(name)} }
