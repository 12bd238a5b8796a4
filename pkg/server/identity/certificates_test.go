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
	tests := []struct {
		name        string
		flags       []string
		certificate *tls.Certificate
		want        answer
	}{
		{
			name:        "signed by the generated CA",
			certificate: generated.client("admin", user.SystemPrivilegedGroup),
			want:        answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}},
		},
		{
			name:        "signed by another CA",
			certificate: foreign.client("admin", user.SystemPrivilegedGroup),
			want:        answer{Status: http.StatusUnauthorized},
		},
		{
			name: "no certificate",
			want: answer{Status: http.StatusUnauthorized},
		},
		{
			name:        "signed by a CA of --client-ca-file",
			flags:       []string{"--client-ca-file=" + given.file},
			certificate: given.client("root", user.SystemPrivilegedGroup),
			want:        answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "root", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}},
		},
		{
			name:        "signed by the generated CA, beside --client-ca-file",
			flags:       []string{"--client-ca-file=" + given.file},
			certificate: generated.client("admin", user.SystemPrivilegedGroup),
			want:        answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}},
		},
		{
			name:        "signed by another CA, beside --client-ca-file",
			flags:       []string{"--client-ca-file=" + given.file},
			certificate: foreign.client("admin", user.SystemPrivilegedGroup),
			want:        answer{Status: http.StatusUnauthorized},
		},
		{
			name:        "signed for a server, not for a user",
			certificate: generated.server(),
			want:        answer{Status: http.StatusUnauthorized},
		},
		{
			name:        "a user without permissions",
			certificate: generated.client("alice", "developers"),
			want:        answer{Status: http.StatusForbidden},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newTestServer(t, newTestOptions(t, test.flags...), generated.file)
			require.Equal(t, test.want, server.request(objects, test.certificate, nil))
		})
	}
}

func TestFrontProxyHeadersAuthenticateUser(t *testing.T) {
	users, proxies := newCA(t, "users"), newCA(t, "proxies")
	headers := map[string]string{"X-Remote-User": "alice", "X-Remote-Group": user.SystemPrivilegedGroup}
	alice := answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "alice", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}}
	rejected := answer{Status: http.StatusUnauthorized}
	tests := []struct {
		name        string
		flags       []string
		certificate *tls.Certificate
		want        answer
	}{
		{"an allowed name, signed by the front proxy's CA", []string{"--requestheader-allowed-names=front"}, proxies.client("front"), alice},
		{"another name, signed by the front proxy's CA", []string{"--requestheader-allowed-names=front"}, proxies.client("back"), rejected},
		{"any name, if none is configured", nil, proxies.client("back"), alice},
		{"a user who sends the headers", nil, users.client("mallory"), answer{Status: http.StatusForbidden}},
		{"no certificate", nil, nil, rejected},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flags := append([]string{"--requestheader-client-ca-file=" + proxies.file}, test.flags...)
			server := newTestServer(t, newTestOptions(t, flags...), users.file)
			require.Equal(t, test.want, server.request(objects, test.certificate, headers))
		})
	}
	t.Run("a header of another name", func(t *testing.T) {
		server := newTestServer(t, newTestOptions(t, "--requestheader-client-ca-file="+proxies.file, "--requestheader-username-headers=X-Remote-User,X-Who"), users.file)
		require.Equal(t, known("bob"), server.request("/version", proxies.client("front"), map[string]string{"X-Who": "bob"}))
		require.Equal(t, known("mallory"), server.request("/version", users.client("mallory"), map[string]string{"X-Who": "bob"}), "the headers of other clients are ignored")
	})
	t.Run("headers without a front proxy", func(t *testing.T) {
		server := newTestServer(t, newTestOptions(t), users.file)
		require.Equal(t, answer{Status: http.StatusForbidden}, server.request(objects, users.client("mallory"), headers))
	})
}

func TestInvalidCABundleErrorNamesFlagAndFile(t *testing.T) {
	good := newCA(t, "good")
	noPEM, empty := writeFile(t, "no.pem", "not a certificate\n"), writeFile(t, "empty.pem", "")
	tests := []struct {
		name  string
		flags []string
		want  []string
	}{
		{"a missing client CA bundle", []string{"--client-ca-file=/nowhere.crt"}, []string{"--client-ca-file=/nowhere.crt", "no such file"}},
		{"a client CA bundle without certificates", []string{"--client-ca-file=" + noPEM}, []string{"--client-ca-file=" + noPEM, "PEM certificates"}},
		{"an empty client CA bundle", []string{"--client-ca-file=" + empty}, []string{"--client-ca-file=" + empty, "PEM certificates"}},
		{"a front proxy CA bundle without certificates", []string{"--requestheader-client-ca-file=" + noPEM}, []string{"--requestheader-client-ca-file=" + noPEM}},
		{
			"a CA of users and of any front proxy",
			[]string{"--client-ca-file=" + good.file, "--requestheader-client-ca-file=" + good.file},
			[]string{"--requestheader-client-ca-file=" + good.file, "CN=good", "--requestheader-allowed-names"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := apply(t, newTestOptions(t, test.flags...), "")
			require.Error(t, err)
			for _, part := range test.want {
				require.ErrorContains(t, err, part)
			}
		})
	}
	t.Run("the server's CA for any front proxy, beside another of users", func(t *testing.T) {
		_, err := apply(t, newTestOptions(t, "--client-ca-file="+newCA(t, "users").file, "--requestheader-client-ca-file="+good.file), good.file)
		require.ErrorContains(t, err, "also signs client certificates ("+good.file+")")
	})
	t.Run("one CA for both, and a name for the front proxy", func(t *testing.T) {
		_, err := apply(t, newTestOptions(t, "--client-ca-file="+good.file, "--requestheader-client-ca-file="+good.file, "--requestheader-allowed-names=front"), "")
		require.NoError(t, err)
	})
}

func TestCABundlesAreReloadedWhenTheyRotate(t *testing.T) {
	oldUsers, newUsers := newCA(t, "old-users"), newCA(t, "new-users")
	oldProxies, newProxies := newCA(t, "old-proxies"), newCA(t, "new-proxies")
	admin := newUsers.client("admin", user.SystemPrivilegedGroup)
	front := newProxies.client("front")
	headers := map[string]string{"X-Remote-User": "alice", "X-Remote-Group": user.SystemPrivilegedGroup}
	server := newTestServer(t, newTestOptions(t, "--client-ca-file="+oldUsers.file, "--requestheader-client-ca-file="+oldProxies.file), "")
	require.Equal(t, http.StatusUnauthorized, server.request(objects, admin, nil).Status)
	require.Equal(t, http.StatusUnauthorized, server.request(objects, front, headers).Status)

	require.NoError(t, os.Rename(newUsers.file, oldUsers.file))
	require.NoError(t, os.Rename(newProxies.file, oldProxies.file))
	eventually.Holds(t, "both CA bundles were reloaded", func(a *eventually.Attempt) {
		require.Equal(a, http.StatusOK, server.request(objects, admin, nil).Status)
		require.Equal(a, "alice", server.request(objects, front, headers).User.Name)
	})
	require.Equal(t, http.StatusUnauthorized, server.request(objects, oldUsers.client("admin", user.SystemPrivilegedGroup), nil).Status)
}
