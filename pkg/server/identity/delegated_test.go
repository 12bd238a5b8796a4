package identity

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestDelegatedAuthenticationAndAuthorization(t *testing.T) {
	users, proxies, cluster := newCA(t, "users"), newCA(t, "proxies"), newReviewer(t)
	cluster.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice", Groups: []string{"developers"}}}
	cluster.allow = func(spec authorizationv1.SubjectAccessReviewSpec) bool { return spec.User == "alice" }
	cluster.trust = map[string]string{
		"client-ca-file":                     string(users.pem),
		"requestheader-client-ca-file":       string(proxies.pem),
		"requestheader-allowed-names":        `["front"]`,
		"requestheader-username-headers":     `["X-Remote-User"]`,
		"requestheader-group-headers":        `["X-Remote-Group"]`,
		"requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
	}
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t)), users.file)
	remote := map[string]string{"X-Remote-User": "alice", "X-Remote-Group": "developers"}

	require.Equal(t, known("alice", "developers"), server.withToken(objects, "secret"))
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
	front := proxies.client("front")
	eventually.Holds(t, "the CA bundles were read from the cluster", func(a *eventually.Attempt) {
		require.Equal(a, known("alice", "developers"), server.request(objects, front, remote))
	})
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.request(objects, proxies.client("back"), remote))
	require.Equal(t, answer{Status: http.StatusForbidden}, server.request(objects, nil, remote), "anonymous requests are not authorized")
	require.Equal(t, http.StatusOK, server.request("/readyz", nil, nil).Status)
	require.Contains(t, cluster.received(), "authorization.k8s.io/v1 SubjectAccessReview")
}

// TestNoCAIsTrustedBeforeKubeAPIServerPublishesIt starts a server before
// kube-apiserver publishes its CA bundles.
func TestNoCAIsTrustedBeforeKubeAPIServerPublishesIt(t *testing.T) {
	users, proxies, cluster := newCA(t, "users"), newCA(t, "proxies"), newReviewer(t)
	cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t)), "")
	front, remote := proxies.client("front"), map[string]string{"X-Remote-User": "alice"}
	require.Equal(t, user.Anonymous, server.request(objects, front, remote).User.Name)

	cluster.publish(map[string]string{"client-ca-file": string(users.pem), "requestheader-client-ca-file": string(proxies.pem)})
	bob := users.client("bob")
	eventually.Holds(t, "the client CA bundle was read from the cluster", func(a *eventually.Attempt) {
		require.Equal(a, "bob", server.request(objects, bob, nil).User.Name)
	})
	require.NotEqual(t, "alice", server.request(objects, front, remote).User.Name, "the names of headers and of the front proxy are not known")
}

func TestCABundlesOfFlagsNeedNoLookup(t *testing.T) {
	users, cluster := newCA(t, "users"), newReviewer(t)
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup", "--client-ca-file="+users.file), "")
	require.Equal(t, known("admin", user.SystemPrivilegedGroup), server.request(objects, users.client("admin", user.SystemPrivilegedGroup), nil))
}

func TestACABundleOfAFlagMustBeReadable(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for _, flag := range []string{"--client-ca-file", "--requestheader-client-ca-file"} {
		_, err := apply(t, newTestOptions(t, "--kubeconfig="+newReviewer(t).kubeconfig(t), flag+"="+missing), "")
		require.ErrorContains(t, err, flag+"="+missing+": must be a CA bundle")
	}
}
