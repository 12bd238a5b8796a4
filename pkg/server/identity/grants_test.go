package identity

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestAChangedRBACFileTakesEffectWhileTheServerRuns(t *testing.T) {
	users := newCA(t, "users")
	file := writeFile(t, "rbac.yaml", listers)
	options := newTestOptions(t, "--authorization-rbac-file="+file)
	options.reloadInterval = time.Millisecond
	server := newTestServer(t, options, users.file)
	alice := users.client("alice", "developers")
	require.Equal(t, http.StatusOK, server.request(objects, alice, nil).Status)
	log := logOf(t)
	require.NoError(t, os.Rename(writeFile(t, "next.yaml", "invalid: ["), file))
	eventually.Holds(t, "the error is logged, and the file is tried again", func(a *eventually.Attempt) {
		require.Greater(a, strings.Count(log(), "the previous content stays in use"), 1)
	})
	require.Equal(t, http.StatusOK, server.request(objects, alice, nil).Status)
	require.NoError(t, os.Rename(writeFile(t, "next.yaml", "# nothing is allowed\n"), file))
	eventually.Holds(t, "what the file no longer allows is forbidden", func(a *eventually.Attempt) {
		require.Equal(a, http.StatusForbidden, server.request(objects, alice, nil).Status)
	})
}

// --kubeconfig is the default of the other two flags.
func TestReviewsGoToTheServerOfTheirKubeconfig(t *testing.T) {
	front, authentication, authorization, without := newReviewer(t), newReviewer(t), newReviewer(t), newReviewer(t) // without --kubeconfig
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
		without: newTestOptions(t, "--authentication-kubeconfig="+authentication.kubeconfig(t), "--authorization-kubeconfig="+without.kubeconfig(t)).ClientConfig,
	} {
		client, err := config()
		require.NoError(t, err)
		require.Equal(t, reviewer.web.URL, client.Host)
	}
}
