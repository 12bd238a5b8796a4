package behind

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// permission is a rule for one group, resource and verb.
type permission struct{ group, resource, verb string }

// rejection returns kube-apiserver's message for a missing permission, as the log
// quotes it.
func (p permission) rejection() string {
	return fmt.Sprintf(`cannot %s resource \"%s\" in API group \"%s\"`, p.verb, p.resource, p.group)
}

// isOfLaterBases reports whether only a server that is built on Kubernetes 1.36 or later needs the
// permission, to apply mutating policies.
func (p permission) isOfLaterBases() bool {
	return strings.HasPrefix(p.resource, "mutatingadmissionpolic") && p.verb == "watch"
}

// applyRights applies the roles and bindings of the manifests.
func (s *kubeSite) applyRights(t *testing.T) {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	for _, namespace := range []string{"default", "kube-system"} { // created after kube-apiserver becomes ready
		eventually.Holds(t, "there is the namespace "+namespace, func(a *eventually.Attempt) {
			_, err := s.client.CoreV1().Namespaces().Get(a.Context(), namespace, metav1.GetOptions{})
			require.NoError(a, err)
		})
	}
	for _, file := range []string{"namespace.yaml", "rbac.yaml"} {
		s.kubectl.Run(t, "apply", "-f", filepath.Join(root, "artifacts", "base", file))
	}
}

// granted returns the permissions of the ClusterRoles that the manifests bind to
// the server.
func (s *kubeSite) granted(t *testing.T) []permission {
	t.Helper()
	bindings, err := s.client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var granted []permission
	for _, binding := range bindings.Items {
		if len(binding.Subjects) != 1 || binding.Subjects[0].Namespace != cluster.Namespace {
			continue
		}
		role, err := s.client.RbacV1().ClusterRoles().Get(t.Context(), binding.RoleRef.Name, metav1.GetOptions{})
		require.NoError(t, err)
		for _, rule := range role.Rules {
			granted = append(granted, permissions(rule)...)
		}
	}
	return granted
}

func permissions(rule rbacv1.PolicyRule) []permission {
	var all []permission
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all = append(all, permission{group, resource, verb})
			}
		}
	}
	return all
}

// grant gives a service account permissions, with a role of this name.
func (s *kubeSite) grant(t *testing.T, account, name string, rights ...permission) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: account + "-" + name}}
	for _, p := range rights {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{p.group}, Resources: []string{p.resource}, Verbs: []string{p.verb}})
	}
	_, err := s.client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = s.client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// grantTrust lets a service account read the ConfigMap of CAs.
func (s *kubeSite) grantTrust(t *testing.T, account string) {
	t.Helper()
	s.kubectl.Run(t, "create", "rolebinding", account, "-n", "kube-system", "--role=extension-apiserver-authentication-reader", "--serviceaccount=default:"+account)
}

// grantAll gives a service account the permissions that the manifests give to this
// server.
func (s *kubeSite) grantAll(t *testing.T, account string) {
	t.Helper()
	s.grant(t, account, "all", s.granted(t)...)
	s.grantTrust(t, account)
}

// testRights starts a server without the permissions of the manifests, and grants
// them one by one. Before each grant it checks what fails without the permission.
func testRights(t *testing.T, s *kubeSite) {
	granted := s.granted(t)
	require.Len(t, granted, 16)
	if binaries.Base() == binaries.FirstBase {
		granted = slices.DeleteFunc(granted, permission.isOfLaterBases)
	}
	of := func(verb string) []permission {
		return slices.DeleteFunc(slices.Clone(granted), func(p permission) bool { return p.verb != verb })
	}
	server := s.launch(t, "rights")
	server.gate.set(func() { server.gate.ahead = time.Hour }) // makes later errors visible early
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError,
		passes("kube-apiserver"),
		says("delegated-authentication", "this server is not allowed to read the ConfigMap kube-system/extension-apiserver-authentication: bind the Role kube-system/extension-apiserver-authentication-reader to this server's user"),
		remarks("delegated-tokens", "this server is not allowed to create TokenReviews: bind the ClusterRole system:auth-delegator to this server's user"),
		says("delegated-authorization", "this server is not allowed to create SubjectAccessReviews, and rejects all requests: bind the ClusterRole system:auth-delegator to this server's user"),
		says("delegated-admission", "this server is not allowed to list the cluster's "),
	)
	for _, missing := range slices.Concat(of("create"), of("list")) {
		server.waitSaid(t, missing.rejection())
	}
	require.Contains(t, server.Process.Output(), `User \"system:serviceaccount:default:rights\" cannot create resource \"subjectaccessreviews\"`)
	server.waitCode(t, "/livez", http.StatusOK)

	s.grant(t, "rights", "list", of("list")...)
	server.waitReadiness(t, http.StatusInternalServerError, passes("delegated-admission"), "[-]delegated-authorization")
	for _, missing := range of("watch") {
		server.waitSaid(t, missing.rejection())
	}
	s.grant(t, "rights", "watch", of("watch")...)

	testTrust(t, s, server)
	server.requireSaid(t, 1, "this server is not allowed to read the ConfigMap")
	testKubeReviews(t, s, server)
	testTrustLater(t, s, server)
}

// testKubeReviews grants the permissions to create access reviews and token reviews.
func testKubeReviews(t *testing.T, s *kubeSite, server *server) {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", "reader")
	s.grant(t, "reader", "reader", permission{"flowcontrol.apiserver.k8s.io", "flowschemas", "list"})
	reader := "Authorization: Bearer " + s.token(t, "reader")
	named := []string{"X-Remote-User: system:serviceaccount:default:reader"}
	server.waitFrontProxy(t, s, http.StatusInternalServerError, named...)

	s.grant(t, "rights", "access", permission{"authorization.k8s.io", "subjectaccessreviews", "create"})
	server.waitReadiness(t, http.StatusOK, passes("delegated-authorization"), remarks("delegated-tokens", "this server is not allowed to create TokenReviews"))
	server.waitFrontProxy(t, s, http.StatusOK, named...)
	server.waitCode(t, kubeObjectsPath, http.StatusServiceUnavailable, reader) // nobody says that the token is invalid

	s.grant(t, "rights", "tokens", permission{"authentication.k8s.io", "tokenreviews", "create"})
	server.waitReadiness(t, http.StatusOK, passes("delegated-tokens"))
	server.waitCode(t, kubeObjectsPath, http.StatusOK, reader)
}

const (
	trustName  = "extension-apiserver-authentication"
	trustCheck = "delegated-authentication"
	trustText  = "the ConfigMap kube-system/" + trustName
)

// testTrust makes the ConfigMap of CAs missing, then broken, then valid.
func testTrust(t *testing.T, s *kubeSite, server *server) {
	t.Helper()
	missing := server.gate.tell(nil)
	server.waitReadiness(t, http.StatusInternalServerError, says(trustCheck, trustText+" is missing"))
	broken := server.gate.tell(map[string]string{
		"requestheader-client-ca-file":   "nonsense",
		"requestheader-username-headers": `["X-Remote-User"]`,
	})
	missing()
	server.waitReadiness(t, http.StatusInternalServerError, says(trustCheck, trustText+" is invalid, its requestheader-client-ca-file contains no PEM certificates"))
	s.grantTrust(t, "rights")
	broken()
	server.waitReadiness(t, http.StatusInternalServerError, passes(trustCheck), "[-]delegated-authorization")
}

// testTrustLater breaks the ConfigMap after the server has read it. The server
// keeps the values it read.
func testTrustLater(t *testing.T, s *kubeSite, server *server) {
	t.Helper()
	masters := []string{"X-Remote-User: admin", "X-Remote-Group: system:masters"}
	server.waitFrontProxy(t, s, http.StatusOK, masters...)
	broken := server.gate.tell(map[string]string{"requestheader-client-ca-file": "nonsense", "requestheader-username-headers": "{"})
	server.waitReadiness(t, http.StatusOK, remarks(trustCheck, trustText+" is invalid, its requestheader-username-headers is not a JSON list of strings"))
	server.waitFrontProxy(t, s, http.StatusOK, masters...)
	broken()
	server.waitReadiness(t, http.StatusOK, passes(trustCheck))
}

// waitFrontProxy waits until requests for objects through the front proxy are
// answered with the code.
func (s *server) waitFrontProxy(t *testing.T, site *kubeSite, code int, headers ...string) {
	t.Helper()
	pair := site.kube.FrontProxyCA.Client(t, "front-proxy-client")
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	eventually.Holds(t, fmt.Sprintf("%s is answered %d", strings.Join(headers, ", "), code), func(a *eventually.Attempt) {
		reply := s.present(a, []tls.Certificate{certificate}, kubeObjectsPath, headers...)
		require.Equal(a, code, reply.Code, reply.Body)
	})
}
