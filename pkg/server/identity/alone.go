package identity

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/klog/v2"
)

// tokenTTL is how long an accepted token is not checked again, as in kube-apiserver.
const tokenTTL = 10 * time.Second

// applyLocalAuthentication sets the authenticators in kube-apiserver's order: client
// certificates, tokens and, without any credentials, anonymous.
func (o *Options) applyLocalAuthentication(ctx context.Context, info *server.AuthenticationInfo, serving *server.SecureServingInfo, ownCAFile string) error {
	authenticators, err := o.certificateAuthenticators(info, serving, ownCAFile)
	if err != nil {
		return err
	}
	var tokens []authenticator.Token
	if file := o.Local.TokenFile; file != "" {
		listed, err := tokenfile.NewCSV(file)
		if err != nil {
			return fmt.Errorf("--%s=%s: must be a readable CSV file with a token, a user name, a UID and optionally quoted groups on each line: %w", tokenFileFlag, file, err)
		}
		tokens = append(tokens, listed)
	}
	accepted := &apiserver.AnonymousAuthConfig{Enabled: true, Conditions: publicPaths()}
	if file := o.Local.AuthenticationConfigFile; file != "" {
		jwt := newJWTAuthenticator()
		if err := o.reload(ctx, authenticationConfigFlag, file, jwt.use); err != nil {
			return err
		}
		tokens = append(tokens, jwt)
		if jwt.anonymous != nil {
			accepted = jwt.anonymous
		}
		if jwt.anonymous != nil && !o.AnonymousAuth {
			return fmt.Errorf("--%s=false and anonymous in --%s=%s are mutually exclusive: remove one of the two", anonymousAuthFlag, authenticationConfigFlag, file)
		}
	}
	if len(tokens) > 0 {
		token := tokencache.New(tokenunion.New(tokens...), true, tokenTTL, 0)
		authenticators = append(authenticators, bearertoken.New(token), websocket.NewProtocolAuthenticator(token))
	}
	info.Authenticator = group.NewAuthenticatedGroupAdder(union.New(authenticators...))
	if o.AnonymousAuth && accepted.Enabled {
		// Invalid credentials are rejected, not treated as anonymous.
		info.Authenticator = union.NewFailOnError(info.Authenticator, anonymous.NewAuthenticator(accepted.Conditions))
	}
	return nil
}

// certificateAuthenticators accept client certificates of --client-ca-file and of this server's
// CA, which signs the administrator's.
func (o *Options) certificateAuthenticators(info *server.AuthenticationInfo, serving *server.SecureServingInfo, ownCAFile string) (all []authenticator.Request, err error) {
	for _, ca := range []struct{ name, file string }{{"--" + clientCAFlag, o.Authentication.ClientCert.ClientCA}, {"CA of this server", ownCAFile}} {
		if ca.file == "" {
			continue
		}
		bundle, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", ca.file)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: must be a CA bundle, a readable file of PEM certificates: %w", ca.name, ca.file, err)
		}
		if err := info.ApplyClientCert(bundle, serving); err != nil {
			return nil, err
		}
		all = append(all, newClientCertificates(bundle))
	}
	return all, nil
}

// publicPaths are where anonymous requests are accepted by default: kube-apiserver's
// system:public-info-viewer.
func publicPaths() (paths []apiserver.AnonymousAuthCondition) {
	for path := range strings.FieldsSeq("/livez /readyz /healthz /version /version/") {
		paths = append(paths, apiserver.AnonymousAuthCondition{Path: path})
	}
	return paths
}

// reload uses the file of a flag, and uses it again when it has changed, until ctx ends. What use
// rejects later is logged and tried again, and what was in use stays.
//
// It polls the content: a mounted ConfigMap changes through symbolic links, which a watch on
// the file would miss.
func (o *Options) reload(ctx context.Context, flag, file string, use func(context.Context, []byte) error) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--%s=%s: must be a readable file: %w", flag, file, err)
	}
	if err := use(ctx, content); err != nil {
		return fmt.Errorf("--%s=%s: %w", flag, file, err)
	}
	go wait.UntilWithContext(ctx, func(ctx context.Context) {
		changed, err := os.ReadFile(file)
		if err == nil && bytes.Equal(changed, content) {
			return
		}
		if err == nil {
			err = use(ctx, changed)
		}
		if err != nil {
			klog.ErrorS(err, "Failed to reload a file, the previous content stays in use", "flag", flag, "file", file)
			return
		}
		content = changed
		klog.InfoS("Reloaded a file", "flag", flag, "file", file)
	}, o.reloadInterval)
	return nil
}
