package identity

import (
	"crypto/tls"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestClientCertificateAuthenticatesUser(t *testing.T) {
	generated, given, foreign := newCA(t, "generated"), newCA(t, "given"), newCA(t, "foreign")
	admin, unknown := known("admin", user.SystemPrivilegedGroup), answer{Status: http.StatusUnauthorized}
	beside := []string{"--client-ca-file=" + given.file}
	for _, test := range []struct {
		name        string
		flags       []string
		certificate *tls.Certificate
		want        answer
	}{
		{"signed by the generated CA", nil, generated.client("admin", user.SystemPrivilegedGroup), admin},
		{"signed by another CA", nil, foreign.client("admin", user.SystemPrivilegedGroup), unknown},
		{"no certificate", nil, nil, unknown},
		{"signed by a CA of --client-ca-file", beside, given.client("admin", user.SystemPrivilegedGroup), admin},
		{"signed by the generated CA, beside --client-ca-file", beside, generated.client("admin", user.SystemPrivilegedGroup), admin},
		{"signed by another CA, beside --client-ca-file", beside, foreign.client("admin", user.SystemPrivilegedGroup), unknown},
		{"a user without permissions", nil, generated.client("alice", "developers"), answer{Status: http.StatusForbidden}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newTestServer(t, newTestOptions(t, test.flags...), generated.file)
			require.Equal(t, test.want, server.request(objects, test.certificate, nil))
		})
	}
}

func TestHeadersOfAFrontProxyAreIgnoredWithoutOne(t *testing.T) {
	users := newCA(t, "users")
	headers := map[string]string{"X-Remote-User": "alice", "X-Remote-Group": user.SystemPrivilegedGroup}
	require.Equal(t, answer{Status: http.StatusForbidden}, newTestServer(t, newTestOptions(t), users.file).request(objects, users.client("mallory"), headers))
}

func TestCABundlesAreReloadedWhenTheyRotate(t *testing.T) {
	oldUsers, newUsers := newCA(t, "old-users"), newCA(t, "new-users")
	admin := newUsers.client("admin", user.SystemPrivilegedGroup)
	server := newTestServer(t, newTestOptions(t, "--client-ca-file="+oldUsers.file), "")
	require.Equal(t, http.StatusUnauthorized, server.request(objects, admin, nil).Status)

	require.NoError(t, os.Rename(newUsers.file, oldUsers.file))
	eventually.Holds(t, "the CA bundle was reloaded", func(a *eventually.Attempt) {
		require.Equal(a, http.StatusOK, server.request(objects, admin, nil).Status)
	})
	require.Equal(t, http.StatusUnauthorized, server.request(objects, oldUsers.client("admin", user.SystemPrivilegedGroup), nil).Status)
}
