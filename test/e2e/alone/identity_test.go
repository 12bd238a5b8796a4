package alone

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// anonymousClient presents only the given certificates and does not verify the
// server's.
func anonymousClient(certificates ...tls.Certificate) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, Certificates: certificates},
		ForceAttemptHTTP2: true,
		DisableKeepAlives: true,
	}}
}

// administrator returns the certificate in admin.kubeconfig.
func administrator(t *testing.T, server *harness.Server) []tls.Certificate {
	t.Helper()
	config := server.Config(t)
	pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
	require.NoError(t, err)
	return []tls.Certificate{pair}
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens.csv")
	require.NoError(t, os.WriteFile(tokens, []byte("secret,user,1\n\"master\",root,2,\"system:masters\"\n"), 0o600))
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{"--token-auth-file=" + tokens, "--client-ca-file=" + harness.NewCA(t, "ca").CertFile}})
	const (
		object, list      = v1Path + "/flowschemas/catch-all", v1Path + "/flowschemas"
		rejected, unknown = http.StatusForbidden, http.StatusUnauthorized
	)
	health := map[string]int{"/livez": 200, "/readyz": 200, "/healthz": 200, "/readyz?verbose": 200, "/readyz/ping": unknown, "/livez/etcd": unknown}
	for _, test := range []struct {
		name         string
		certificates []tls.Certificate
		headers      []string
		codes        map[string]int // by path
	}{
		{"nobody", nil, nil, map[string]int{object: unknown, list: unknown, "/version": 200, "/apis": unknown, "/metrics": unknown, "/flagz": unknown, "/": unknown}},
		{"somebody with a token that is not known", nil, []string{"Authorization: Bearer wrong"}, map[string]int{object: unknown, "/version": unknown}},
		{"user by token", nil, []string{"Authorization: Bearer secret"}, map[string]int{object: rejected, list: rejected, "/version": 200, "/apis": 200, groupPath: 200, v1Path: 200, "/openapi/v2": 200, "/metrics": rejected, "/flagz": rejected, "/debug/pprof/": rejected}},
		{"user who would be another", nil, []string{"Authorization: Bearer secret", "Impersonate-User: root"}, map[string]int{object: rejected, "/version": rejected}},
		{"user who says who he is in the headers of a proxy", nil, []string{"Authorization: Bearer secret", "X-Remote-User: root", "X-Remote-Group: system:masters"}, map[string]int{object: rejected}},
		{"the administrator, beside --client-ca-file", administrator(t, server), nil, map[string]int{object: 200, "/metrics": 200}},
		{"master by token", nil, []string{"Authorization: Bearer master"}, map[string]int{object: 200, list: 200, "/metrics": 200, "/version": 200}},
		{"master as a user", nil, []string{"Authorization: Bearer master", "Impersonate-User: user"}, map[string]int{object: rejected, "/version": 200}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := anonymousClient(test.certificates...)
			for path, code := range test.codes {
				answer := send(t, client, http.MethodGet, server.URL+path, "", test.headers...)
				require.Equal(t, code, answer.Code, "%s: %s", path, answer.Body)
				if code >= 400 {
					answer.Status(t)
				}
			}
			if test.certificates == nil && test.headers == nil {
				for path, code := range health {
					require.Equal(t, code, send(t, client, http.MethodGet, server.URL+path, "").Code, path)
				}
			}
		})
	}
}
