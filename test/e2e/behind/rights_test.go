package behind

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const kubeObjectsPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// kubeSite is a kube-apiserver and clients of its administrator.
type kubeSite struct {
	etcd    *harness.Etcd
	kube    *harness.KubeAPIServer
	kubectl *harness.Kubectl
	client  kubernetes.Interface
}

// TestRightsOfTheManifests starts a server without the permissions of the manifests, and grants them one
// by one. Before each grant it checks what fails without the permission. What a server says of a
// kube-apiserver that is unavailable, slow or wrong is tested in pkg/server/kubeapiserver.
func TestRightsOfTheManifests(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	kube := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd})
	client, err := kubernetes.NewForConfig(kube.Config(t))
	require.NoError(t, err)
	s := &kubeSite{etcd: etcd, kube: kube, kubectl: kube.Kubectl(t), client: client}
	s.applyRights(t)
	granted := s.granted(t)
	require.Len(t, granted, 18)
	if binaries.Base() == binaries.FirstBase {
		granted = slices.DeleteFunc(granted, permission.isOfLaterBases)
	}
	of := func(verb string) []permission {
		return slices.DeleteFunc(slices.Clone(granted), func(p permission) bool { return p.verb != verb })
	}
	server := s.launch(t, "rights")
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

	s.grantTrust(t, "rights")
	server.waitReadiness(t, http.StatusInternalServerError, passes("delegated-authentication"), "[-]delegated-authorization")
	require.Equal(t, 1, strings.Count(server.Process.Output(), "this server is not allowed to read the ConfigMap"), "it is logged once")
	testKubeReviews(t, s, server)
}

// server is a server behind the kube-apiserver.
type server struct{ *harness.Server }

// launch starts a server with a new service account, which has no permissions.
func (s *kubeSite) launch(t *testing.T, account string) *server {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", account)
	file := s.kube.KubeconfigOf(t, s.token(t, account))
	return &server{harness.LaunchServer(t, harness.ServerOptions{
		Etcd: s.etcd, Args: []string{"--etcd-prefix=/" + account, "--kubeconfig=" + file, "--v=0"},
	})}
}

func (s *kubeSite) token(t *testing.T, account string) string {
	t.Helper()
	return strings.TrimSpace(s.kubectl.Run(t, "create", "token", account))
}

// get sends a request without credentials, apart from headers of the form "Name:
// value".
func (s *server) get(a *eventually.Attempt, path string, headers ...string) harness.Reply {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	reply, err := harness.Send(a.Context(), client, http.MethodGet, s.URL+path, "", headers...)
	require.NoError(a, err)
	return reply
}

// waitReadiness waits until an anonymous request for /readyz?verbose is answered
// with the code and each of the texts.
func (s *server) waitReadiness(t *testing.T, code int, texts ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("readiness is %d and says %q", code, texts), func(a *eventually.Attempt) {
		reply := s.get(a, "/readyz?verbose")
		require.Equal(a, code, reply.Code, reply.Body)
		for _, text := range texts {
			require.Contains(a, reply.Body, text)
		}
	})
}

// waitCode waits until requests for a path are answered with the code.
func (s *server) waitCode(t *testing.T, path string, code int, headers ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("%s is answered %d", path, code), func(a *eventually.Attempt) {
		reply := s.get(a, path, headers...)
		require.Equal(a, code, reply.Code, reply.Body)
	})
}

// waitSaid waits until the log contains a text.
func (s *server) waitSaid(t *testing.T, text string) {
	t.Helper()
	eventually.Holds(t, "the log has "+text, func(a *eventually.Attempt) { require.Contains(a, s.Process.Output(), text) })
}

// says returns the line of /readyz?verbose about a failed check.
func says(check, text string) string { return fmt.Sprintf("[-]%s failed: %s", check, text) }

// remarks returns the line about a check that passed with a warning.
func remarks(check, text string) string { return fmt.Sprintf("[+]%s ok, but: %s", check, text) }

func passes(check string) string { return fmt.Sprintf("[+]%s ok\n", check) }

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
	for _, namespace := range []string{"default", "kube-system"} { // created after kube-apiserver becomes ready
		eventually.Holds(t, "there is the namespace "+namespace, func(a *eventually.Attempt) {
			_, err := s.client.CoreV1().Namespaces().Get(a.Context(), namespace, metav1.GetOptions{})
			require.NoError(a, err)
		})
	}
	for _, file := range []string{"namespace.yaml", "rbac.yaml"} {
		s.kubectl.Run(t, "apply", "-f", harness.Path(t, "artifacts/base/"+file))
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

// testKubeReviews grants the permissions to create access reviews and token reviews.
func testKubeReviews(t *testing.T, s *kubeSite, server *server) {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", "reader")
	s.grant(t, "reader", "reader", permission{"flowcontrol.apiserver.k8s.io", "flowschemas", "list"})
	reader := "Authorization: Bearer " + s.token(t, "reader")
	s.grant(t, "rights", "access", permission{"authorization.k8s.io", "subjectaccessreviews", "create"})
	server.waitReadiness(t, http.StatusOK, passes("delegated-authorization"), remarks("delegated-tokens", "this server is not allowed to create TokenReviews"))
	server.waitCode(t, kubeObjectsPath, http.StatusServiceUnavailable, reader) // nobody says that the token is invalid

	s.grant(t, "rights", "tokens", permission{"authentication.k8s.io", "tokenreviews", "create"})
	server.waitReadiness(t, http.StatusOK, passes("delegated-tokens"))
	server.waitCode(t, kubeObjectsPath, http.StatusOK, reader)
}
