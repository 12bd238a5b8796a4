package identity

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// Groups of Kubernetes other than system:masters grant nothing here.
func TestNoOtherGroupOfKubernetesIsPrivileged(t *testing.T) {
	applied, err := apply(t, newTestOptions(t), "")
	require.NoError(t, err)
	groups := []string{
		user.NodesGroup, user.MonitoringGroup, user.AllAuthenticated, "system:serviceaccounts", "system:serviceaccounts:kube-system",
		"system:bootstrappers", "kubeadm:cluster-admins", "cluster-admin",
	}
	for _, name := range []string{user.APIServerUser, user.KubeControllerManager, "system:admin", user.SystemPrivilegedGroup} {
		decision, _, err := applied.authorization.Authorizer.Authorize(t.Context(), authorizer.AttributesRecord{
			User: &user.DefaultInfo{Name: name, Groups: groups}, Verb: "list", APIGroup: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas", ResourceRequest: true,
		})
		require.NoError(t, err)
		require.Equal(t, authorizer.DecisionNoOpinion, decision, name)
	}
}

func TestSelfReviewsAreTheOnlyReviewsOfUsersAndOnlyCreated(t *testing.T) {
	applied, err := apply(t, newTestOptions(t), "")
	require.NoError(t, err)
	alice := &user.DefaultInfo{Name: "alice", Groups: []string{user.AllAuthenticated}}
	anonymous := &user.DefaultInfo{Name: user.Anonymous, Groups: []string{user.AllUnauthenticated}}
	for _, test := range []struct {
		group, resource string
		who             user.Info
		want            authorizer.Decision
	}{
		{authenticationv1.GroupName, "selfsubjectreviews", alice, authorizer.DecisionAllow},
		{authorizationv1.GroupName, "selfsubjectaccessreviews", alice, authorizer.DecisionAllow},
		{authorizationv1.GroupName, "selfsubjectrulesreviews", alice, authorizer.DecisionAllow},
		{authenticationv1.GroupName, "selfsubjectreviews", anonymous, authorizer.DecisionNoOpinion},
		{authorizationv1.GroupName, "selfsubjectaccessreviews", anonymous, authorizer.DecisionNoOpinion},
		{authorizationv1.GroupName, "subjectaccessreviews", alice, authorizer.DecisionNoOpinion},
		{authorizationv1.GroupName, "localsubjectaccessreviews", alice, authorizer.DecisionNoOpinion},
		{authenticationv1.GroupName, "tokenreviews", alice, authorizer.DecisionNoOpinion},
		{"example.org", "selfsubjectreviews", alice, authorizer.DecisionNoOpinion},
		{"example.org", "selfsubjectaccessreviews", alice, authorizer.DecisionNoOpinion},
	} {
		for verb, want := range map[string]authorizer.Decision{
			"create": test.want, "get": authorizer.DecisionNoOpinion, "list": authorizer.DecisionNoOpinion, "delete": authorizer.DecisionNoOpinion, "patch": authorizer.DecisionNoOpinion,
		} {
			got, _, err := applied.authorization.Authorizer.Authorize(t.Context(), authorizer.AttributesRecord{
				User: test.who, Verb: verb, APIGroup: test.group, Resource: test.resource, ResourceRequest: true,
			})
			require.NoError(t, err)
			require.Equal(t, want, got, "%s %s %s of %s", test.who.GetName(), verb, test.resource, test.group)
		}
	}
}

func TestAChangedRBACFileTakesEffectWhileTheServerRuns(t *testing.T) {
	users := newCA(t, "users")
	file := writeFile(t, "rbac.yaml", listers)
	options := newTestOptions(t, "--authorization-rbac-file="+file)
	options.reloadInterval = time.Millisecond
	server := newTestServer(t, options, users.file)
	alice := users.client("alice", "developers")
	require.Equal(t, http.StatusOK, server.request(objects, alice, nil).Status)
	require.NoError(t, os.Rename(writeFile(t, "next.yaml", "# nothing is allowed\n"), file))
	eventually.Holds(t, "what the file no longer allows is forbidden", func(a *eventually.Attempt) {
		require.Equal(a, http.StatusForbidden, server.request(objects, alice, nil).Status)
	})
}

func TestAlwaysAllowedPathsMayOnlyBeReadBehindKubeAPIServer(t *testing.T) {
	cluster := newReviewer(t)
	applied, err := apply(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup", "--authorization-always-allow-paths=/metrics"), "")
	require.NoError(t, err)
	for verb, want := range map[string]authorizer.Decision{"get": authorizer.DecisionAllow, "post": authorizer.DecisionNoOpinion, "delete": authorizer.DecisionNoOpinion} {
		for _, group := range []string{user.AllAuthenticated, user.AllUnauthenticated} {
			got, _, err := applied.authorization.Authorizer.Authorize(t.Context(), authorizer.AttributesRecord{
				User: &user.DefaultInfo{Name: "alice", Groups: []string{group}}, Verb: verb, Path: "/metrics",
			})
			require.NoError(t, err)
			require.Equal(t, want, got, "%s as %s", verb, group)
		}
	}
}

func TestNoCAIsLookedUpBesideThoseOfFlags(t *testing.T) {
	users, cluster := newCA(t, "users"), newReviewer(t)
	client := fake.NewClientset()
	kubeconfig := "--kubeconfig=" + cluster.kubeconfig(t)

	skipped, err := newTestOptions(t, kubeconfig, "--authentication-skip-lookup").delegatedCertificates(client)
	require.NoError(t, err)
	require.Equal(t, authenticatorfactory.DelegatingAuthenticatorConfig{}, skipped)

	named, err := newTestOptions(t, kubeconfig, "--client-ca-file="+users.file).delegatedCertificates(client)
	require.NoError(t, err)
	require.Equal(t, users.pem, named.ClientCertificateCAContentProvider.CurrentCABundleContent())
}

// --kubeconfig is the default of the other two flags.
func TestReviewsGoToTheServerOfTheirKubeconfig(t *testing.T) {
	front, authentication, authorization := newReviewer(t), newReviewer(t), newReviewer(t)
	authentication.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}}
	authorization.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	options := newTestOptions(t, "--authentication-skip-lookup", "--kubeconfig="+front.kubeconfig(t),
		"--authentication-kubeconfig="+authentication.kubeconfig(t), "--authorization-kubeconfig="+authorization.kubeconfig(t))
	require.Equal(t, known("alice"), newTestServer(t, options, "").withToken(objects, "secret"))
	require.Empty(t, front.received())
	require.Equal(t, []string{"authentication.k8s.io/v1 TokenReview"}, authentication.received())
	require.Equal(t, []string{"authorization.k8s.io/v1 SubjectAccessReview"}, authorization.received())
	for reviewer, config := range map[*reviewer]func() (*rest.Config, error){
		front: options.ClientConfig, authentication: options.AuthenticationClientConfig, authorization: options.AuthorizationClientConfig,
	} {
		client, err := config()
		require.NoError(t, err)
		require.Equal(t, reviewer.web.URL, client.Host)
	}
}

// A token that was accepted and is rejected now counts as unknown again.
func TestARevokedTokenIsUnknown(t *testing.T) {
	cluster := newReviewer(t)
	cluster.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}, "revoked": {Username: "bob"}}
	cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup",
		"--authentication-token-webhook-cache-ttl=1ns"), "")
	require.Equal(t, known("bob"), server.withToken(objects, "revoked"))
	delete(cluster.users, "revoked")
	flood(t, 50*addressTokenBurst, func(int) int { return server.withToken(objects, "revoked").Status })
}
