package behind

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// credential adds the credentials of a user.
type credential func(*rest.Config)

func withToken(token string) credential {
	return func(config *rest.Config) { config.BearerToken = token }
}

func withCertificate(pair harness.Pair) credential {
	return func(config *rest.Config) { config.CertFile, config.KeyFile = pair.CertFile, pair.KeyFile }
}

func impersonating(user rest.ImpersonationConfig) credential {
	return func(config *rest.Config) { config.Impersonate = user }
}

// admin returns the credential of the administrator of the cluster.
func (s *besideSite) admin(t *testing.T) credential {
	t.Helper()
	return withToken(s.Config(t).BearerToken)
}

// serviceAccountToken returns a token from kubectl create token.
func (s *besideSite) serviceAccountToken(t *testing.T, name string) credential {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", name)
	return withToken(strings.TrimSpace(s.kubectl.Run(t, "create", "token", name)))
}
