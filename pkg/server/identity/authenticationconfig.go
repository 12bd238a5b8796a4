package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
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
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	reloadmetrics "k8s.io/apiserver/pkg/server/options/authenticationconfig/metrics"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/configversion"
)

// configDecoder decodes and validates AuthenticationConfigurations of every
// version that the library serves.
type configDecoder struct {
	decoder  runtime.Decoder
	compiler authenticationcel.Compiler
}

func newConfigDecoder() *configDecoder {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return &configDecoder{
		decoder:  serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(),
		compiler: authenticationcel.NewDefaultCompiler(),
	}
}

// decode returns an error for unknown and duplicate fields too.
func (d *configDecoder) decode(data []byte) (*apiserver.AuthenticationConfiguration, error) {
	if len(data) == 0 {
		return nil, errors.New("must contain an AuthenticationConfiguration, but is empty")
	}
	object, err := runtime.Decode(d.decoder, configversion.Known(data))
	if err != nil {
		return nil, fmt.Errorf("must contain an AuthenticationConfiguration as YAML or JSON: %w", configversion.Explain(err))
	}
	configuration, ok := object.(*apiserver.AuthenticationConfiguration)
	if !ok {
		return nil, fmt.Errorf("must contain an AuthenticationConfiguration, but contains another kind (%T)", object)
	}
	if err := validation.ValidateAuthenticationConfiguration(d.compiler, configuration, nil).ToAggregate(); err != nil {
		return nil, err
	}
	return configuration, nil
}

// configReloader reloads the file of --authentication-config while the server
// runs. If a reload fails, the previous configuration stays in use.
//
// It polls the content: the file is small, and a mounted ConfigMap changes through
// symbolic links, which a watch on the file would miss.
type configReloader struct {
	file    string
	decoder *configDecoder
	tokens  *dynamicJWTAuthenticators
	// anonymous is from the first configuration. It cannot change at run time: the
	// authenticator is built from it.
	anonymous *apiserver.AnonymousAuthConfig
	// lastContent is the content in use, or an invalid one already reported.
	lastContent []byte
	// serverID labels the reload metrics.
	serverID string

	// issuerTimeout limits how long a reload waits for the signing keys of the
	// issuers; issuerPollInterval is the time between two checks for them.
	issuerTimeout, issuerPollInterval time.Duration
}

// newConfigReloader loads the file once and does not wait for the issuers. Errors
// name the flag and the file. The authenticators stop when ctx ends.
func newConfigReloader(ctx context.Context, file, serverID string) (*configReloader, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable file: %w", authenticationConfigFlag, file, err)
	}
	r := &configReloader{
		file: file, decoder: newConfigDecoder(), lastContent: data, serverID: serverID,
		issuerTimeout: time.Minute, issuerPollInterval: 100 * time.Millisecond,
	}
	configuration, err := r.decoder.decode(data)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authenticationConfigFlag, file, err)
	}
	authenticators, err := r.newAuthenticators(ctx, configuration)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", authenticationConfigFlag, file, err)
	}
	r.tokens = newDynamicJWTAuthenticators(authenticators)
	r.anonymous = configuration.Anonymous.DeepCopy()
	reloadmetrics.RegisterMetrics()
	showConfiguration(serverID, string(data))
	return r, nil
}

// newAuthenticators accepts every signing algorithm, like kube-apiserver: the
// issuer's keys decide.
func (r *configReloader) newAuthenticators(ctx context.Context, configuration *apiserver.AuthenticationConfiguration) (*jwtAuthenticators, error) {
	return newJWTAuthenticators(ctx, configuration, r.decoder.compiler, oidc.AllValidSigningAlgorithms())
}

// run checks the file once per interval until ctx ends.
func (r *configReloader) run(ctx context.Context, interval time.Duration) {
	wait.UntilWithContext(ctx, r.reload, interval)
}

// reload reloads the file if it has changed, and logs and counts the result.
func (r *configReloader) reload(ctx context.Context) {
	changed, err := r.reloadIfChanged(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		klog.ErrorS(err, "Failed to reload the authentication configuration, the previous one stays in use", "file", r.file)
		reloadmetrics.RecordAuthenticationConfigAutomaticReloadFailure(r.serverID)
	case changed:
		klog.InfoS("Reloaded the authentication configuration", "file", r.file)
		countReload(r.serverID, string(r.lastContent))
	}
}

// reloadIfChanged reports whether a new configuration is in use. After an error the
// next call tries again, unless the content is invalid. The new authenticators stop
// when ctx ends.
func (r *configReloader) reloadIfChanged(ctx context.Context) (bool, error) {
	data, err := os.ReadFile(r.file)
	if err != nil || bytes.Equal(data, r.lastContent) {
		return false, err
	}
	configuration, err := r.decoder.decode(data)
	if err == nil && !apiequality.Semantic.DeepEqual(r.anonymous, configuration.Anonymous) {
		err = errors.New("anonymous: may not change while this server runs: restart it to apply the change")
	}
	if err != nil {
		r.lastContent = data
		return false, err
	}
	authenticators, err := r.newAuthenticators(ctx, configuration)
	if err != nil {
		return false, err
	}
	if err := r.waitForIssuers(ctx, authenticators); err != nil {
		authenticators.retire()
		return false, err
	}
	r.tokens.replace(authenticators)
	r.lastContent = data
	return true, nil
}

// waitForIssuers waits for the signing keys of all issuers: without them the new
// configuration would reject every token.
func (r *configReloader) waitForIssuers(ctx context.Context, authenticators *jwtAuthenticators) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, r.issuerPollInterval, r.issuerTimeout, true, func(context.Context) (bool, error) {
		last = authenticators.healthCheck()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("no signing keys from every JWT issuer within %s: %w", r.issuerTimeout, errors.Join(last, err))
	}
	return nil
}

// newAnonymous returns the authenticator of requests without credentials. Unless
// configured, it accepts them on the public paths only. It is nil if anonymous
// requests are disabled.
func newAnonymous(configured *apiserver.AnonymousAuthConfig) authenticator.Request {
	switch {
	case configured == nil:
		return publicAnonymous{anonymous.NewAuthenticator(nil)}
	case configured.Enabled:
		return anonymous.NewAuthenticator(configured.Conditions)
	default:
		return nil
	}
}

// publicAnonymous accepts anonymous requests on the public paths only. The
// library's conditions match exact paths, not the checks below an endpoint.
type publicAnonymous struct{ delegate authenticator.Request }

var _ authenticator.Request = publicAnonymous{}

// AuthenticateRequest implements authenticator.Request.
func (a publicAnonymous) AuthenticateRequest(req *http.Request) (*authenticator.Response, bool, error) {
	if !isPublicPath(req.URL.Path) {
		return nil, false, nil
	}
	return a.delegate.AuthenticateRequest(req)
}

// isPublicPath reports whether path is the version, a health endpoint or one of its checks.
func isPublicPath(path string) bool {
	return path == "/version" || path == "/version/" || slices.ContainsFunc(healthPaths(), func(endpoint string) bool {
		return path == endpoint || strings.HasPrefix(path, endpoint+"/")
	})
}

func healthPaths() []string { return []string{"/livez", "/readyz", "/healthz"} }
