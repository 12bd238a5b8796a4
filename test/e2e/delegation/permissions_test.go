package delegation

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// action is one request that needs one permission.
type action struct {
	verb, resource string
	method, path   string
	body           string
	headers        []string
}

// actions are all that RBAC knows for these resources. Dry runs need the same
// permission as the act itself.
func actions() []action {
	const (
		all    = basePath + "/flowschemas"
		one    = all + "/catch-all"
		status = one + "/status"
		dryRun = "?dryRun=All"
		patch  = `{"metadata": {"labels": {"a": "b"}}}`
	)
	merge := []string{"Content-Type: application/merge-patch+json"}
	return []action{
		{verb: "get", resource: "flowschemas", method: http.MethodGet, path: one},
		{verb: "list", resource: "flowschemas", method: http.MethodGet, path: all},
		{verb: "watch", resource: "flowschemas", method: http.MethodGet, path: all + "?watch=true&timeoutSeconds=1"},
		{verb: "create", resource: "flowschemas", method: http.MethodPost, path: all + dryRun, body: schema("new", 500)},
		{verb: "update", resource: "flowschemas", method: http.MethodPut, path: one + dryRun},
		{verb: "patch", resource: "flowschemas", method: http.MethodPatch, path: one + dryRun, body: patch, headers: merge},
		{verb: "delete", resource: "flowschemas", method: http.MethodDelete, path: one + dryRun},
		{verb: "deletecollection", resource: "flowschemas", method: http.MethodDelete, path: all + dryRun},
		{verb: "get", resource: "flowschemas/status", method: http.MethodGet, path: status},
		{verb: "update", resource: "flowschemas/status", method: http.MethodPut, path: status + dryRun},
		{verb: "patch", resource: "flowschemas/status", method: http.MethodPatch, path: status + dryRun, body: `{"status": {}}`, headers: merge},
	}
}

// testPermissions has a user for each permission, who has that one alone.
func testPermissions(t *testing.T, s *site) {
	for i, holder := range actions() {
		name := holder.verb + "-" + []string{"spec", "status"}[min(1, i/8)]
		s.grant(t, name, holder)
		for _, way := range s.ways(t) {
			config := way.as(s.admin(t), impersonating(rest.ImpersonationConfig{UserName: name}))
			for _, tried := range actions() {
				allowed := tried.verb == holder.verb && tried.resource == holder.resource
				if allowed && tried.method == http.MethodPut {
					tried.body = send(t, s.direct(t).as(s.admin(t)), http.MethodGet, basePath+"/flowschemas/catch-all", "").body
				}
				reply := send(t, config, tried.method, tried.path, tried.body, tried.headers...)
				message := way.name + ": the holder of " + holder.verb + " " + holder.resource + " tries " + tried.verb + " " + tried.resource + ": " + reply.body
				if allowed {
					require.Less(t, reply.code, 300, message)
				} else {
					require.Equal(t, http.StatusForbidden, reply.code, message)
				}
			}
		}
	}
}

// grant gives a user one permission, and waits until kube-apiserver heeds it.
func (s *site) grant(t *testing.T, user string, a action) {
	t.Helper()
	_, err := s.Client.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"flowcontrol.apiserver.k8s.io"}, Resources: []string{a.resource}, Verbs: []string{a.verb}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.kubectl.Run(t, "create", "clusterrolebinding", user, "--clusterrole="+user, "--user="+user)
	resource, subresource, _ := strings.Cut(a.resource, "/")
	eventually(t, user+" may "+a.verb, func() bool {
		return s.kubectl.Try(t, "", "auth", "can-i", a.verb, resource+".flowcontrol.apiserver.k8s.io",
			"--subresource="+subresource, "--as="+user).ExitCode == 0
	})
}
