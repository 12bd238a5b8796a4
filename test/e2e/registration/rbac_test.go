package registration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// permission is the smallest part of a rule.
type permission struct{ group, resource, verb string }

func (p permission) rule() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{p.group}, Resources: []string{p.resource}, Verbs: []string{p.verb}}
}

// refusal is what kube-apiserver says without it, as the log quotes it.
func (p permission) refusal() string {
	return fmt.Sprintf(`cannot %s resource \"%s\" in API group \"%s\"`, p.verb, p.resource, p.group)
}

// guard is a cluster in which servers run with parts of the rights that the
// manifests give.
type guard struct {
	*site
	granted []permission // by the ClusterRoles that the manifests bind
	reader  string       // header of one who may read the objects
}

// TestEachRightIsNeeded runs servers each of which lacks one of the rights that
// the manifests give to this server, and finds what it cannot do.
func TestEachRightIsNeeded(t *testing.T) {
	s := startShared(t, "")
	testNothingForbidden(t, s)
	g := &guard{site: s, granted: s.granted(t), reader: s.makeReader(t)}
	require.Len(t, g.granted, 12)

	t.Run("all of them are enough", func(t *testing.T) {
		server := g.start(t, "all", g.granted, true)
		waitCode(t, server.URL+"/readyz", http.StatusOK)
		waitCode(t, server.URL+path("v1", ""), http.StatusOK, g.reader)
		require.NotContains(t, server.Process.Output(), "forbidden")
	})
	t.Run("without the authorities of the cluster it does not become ready", func(t *testing.T) {
		server := g.start(t, "authorities", g.granted, false)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		require.NoError(t, server.Process.WaitOutput(ctx, "we may not read the ConfigMap kube-system/extension-apiserver-authentication"))
		waitCode(t, server.URL+"/readyz", http.StatusInternalServerError)
	})
	for i, missing := range g.granted {
		t.Run("without "+missing.verb+" of "+missing.resource, func(t *testing.T) {
			rest := append(append([]permission{}, g.granted[:i]...), g.granted[i+1:]...)
			g.requireLack(t, g.start(t, fmt.Sprintf("lack-%d", i), rest, true), missing)
		})
	}
}

// requireLack finds out what the server cannot do.
func (g *guard) requireLack(t *testing.T, server *harness.Server, missing permission) {
	t.Helper()
	switch missing.resource {
	case "tokenreviews":
		waitCode(t, server.URL+"/readyz", http.StatusOK)
		waitCode(t, server.URL+path("v1", ""), http.StatusUnauthorized, g.reader)
	case "subjectaccessreviews":
		waitCode(t, server.URL+"/readyz", http.StatusInternalServerError)
		waitCode(t, server.URL+path("v1", ""), http.StatusInternalServerError, g.reader)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, server.Process.WaitOutput(ctx, missing.refusal()))
	if missing.verb == "list" {
		waitCode(t, server.URL+"/readyz?exclude=informer-sync&exclude=delegated-admission", http.StatusOK)
		cluster.Eventually(t, "readiness says what may not be listed", func(ctx context.Context) error {
			answer, err := get(ctx, insecure(t), server.URL+"/readyz")
			if err == nil && !strings.Contains(answer.body, "[-]delegated-admission failed: we may not list the cluster's") {
				err = errors.New(answer.body)
			}
			return errors.Join(err, answer.unless(http.StatusInternalServerError))
		})
	}
}

// granted are the rights of the ClusterRoles that are bound to the server.
func (s *site) granted(t *testing.T) []permission {
	t.Helper()
	bindings, err := s.Client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var granted []permission
	for _, binding := range bindings.Items {
		if len(binding.Subjects) != 1 || binding.Subjects[0].Namespace != cluster.Namespace {
			continue
		}
		role, err := s.Client.RbacV1().ClusterRoles().Get(t.Context(), binding.RoleRef.Name, metav1.GetOptions{})
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

// start starts a server as a service account of that name, with these rights and,
// if it is to know the authorities, that to read them.
func (g *guard) start(t *testing.T, name string, granted []permission, authorities bool) *harness.Server {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, right := range granted {
		role.Rules = append(role.Rules, right.rule())
	}
	_, err := g.Client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	g.kubectl.Run(t, "create", "serviceaccount", name)
	g.kubectl.Run(t, "create", "clusterrolebinding", name, "--clusterrole="+name, "--serviceaccount=default:"+name)
	if authorities {
		g.kubectl.Run(t, "create", "rolebinding", name, "-n", "kube-system",
			"--role=extension-apiserver-authentication-reader", "--serviceaccount=default:"+name)
	}
	g.waitGranted(t, name, granted, authorities)
	return harness.LaunchServer(t, harness.ServerOptions{
		Etcd: g.Etcd,
		Args: []string{"--etcd-prefix=/registry", "--kubeconfig=" + g.kubeconfig(t, g.kubectl.Run(t, "create", "token", name))},
	})
}

// waitGranted waits until kube-apiserver heeds the rights of a service account, so
// that what it refuses is what is missing.
func (g *guard) waitGranted(t *testing.T, account string, granted []permission, authorities bool) {
	t.Helper()
	var all []authorizationv1.ResourceAttributes
	for _, right := range granted {
		all = append(all, authorizationv1.ResourceAttributes{Group: right.group, Resource: right.resource, Verb: right.verb})
	}
	if authorities {
		all = append(all, authorizationv1.ResourceAttributes{
			Namespace: "kube-system", Resource: "configmaps", Name: "extension-apiserver-authentication", Verb: "get"})
	}
	for _, right := range all {
		cluster.Eventually(t, account+" may do what it is to", func(ctx context.Context) error {
			review, err := g.Client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: "system:serviceaccount:default:" + account, ResourceAttributes: &right},
			}, metav1.CreateOptions{})
			if err == nil && !review.Status.Allowed {
				err = fmt.Errorf("not yet: %+v", right)
			}
			return err
		})
	}
}

func (g *guard) kubeconfig(t *testing.T, token string) string {
	t.Helper()
	const name = "server"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: g.KubeAPIServer.URL, CertificateAuthority: g.KubeAPIServer.ClientCA.CertFile}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	require.NoError(t, os.Chmod(file, 0o600))
	return file
}

// insecure is a client without credentials that trusts any server.
func insecure(t *testing.T) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	require.NoError(t, err)
	return client
}

// waitCode waits until a server answers with this status.
func waitCode(t *testing.T, url string, code int, headers ...string) {
	t.Helper()
	client := insecure(t)
	cluster.Eventually(t, fmt.Sprintf("%s answers %d", url, code), func(ctx context.Context) error {
		answer, err := get(ctx, client, url, headers...)
		return errors.Join(err, answer.unless(code))
	})
}
