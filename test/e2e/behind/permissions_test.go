package behind

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// action is one request that needs one permission.
type action struct {
	verb, resource string
	method, path   string
	body           string
	headers        []string
}

// actions returns all actions that RBAC distinguishes for these resources. A dry
// run needs the same permission as the action.
func actions() []action {
	const (
		all    = objectsPath
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
		{verb: "create", resource: "flowschemas", method: http.MethodPost, path: all + dryRun, body: flowSchema("new", 500)},
		{verb: "update", resource: "flowschemas", method: http.MethodPut, path: one + dryRun},
		{verb: "patch", resource: "flowschemas", method: http.MethodPatch, path: one + dryRun, body: patch, headers: merge},
		{verb: "delete", resource: "flowschemas", method: http.MethodDelete, path: one + dryRun},
		{verb: "deletecollection", resource: "flowschemas", method: http.MethodDelete, path: all + dryRun},
		{verb: "get", resource: "flowschemas/status", method: http.MethodGet, path: status},
		{verb: "update", resource: "flowschemas/status", method: http.MethodPut, path: status + dryRun},
		{verb: "patch", resource: "flowschemas/status", method: http.MethodPatch, path: status + dryRun, body: `{"status": {}}`, headers: merge},
	}
}

// testPermissions creates one user for each permission, with only that permission.
func testPermissions(t *testing.T, s *besideSite) {
	for i, holder := range actions() {
		name := holder.verb + "-" + []string{"spec", "status"}[min(1, i/8)]
		s.grant(t, name, holder)
		for _, way := range s.ways(t) {
			config := way.as(s.admin(t), impersonating(rest.ImpersonationConfig{UserName: name}))
			for _, tried := range actions() {
				allowed := tried.verb == holder.verb && tried.resource == holder.resource
				if allowed && tried.method == http.MethodPut {
					tried.body = send(t, s.directly(t).as(s.admin(t)), http.MethodGet, objectsPath+"/catch-all", "").Body
				}
				reply := send(t, config, tried.method, tried.path, tried.body, tried.headers...)
				message := way.name + ": the holder of " + holder.verb + " " + holder.resource + " tries " + tried.verb + " " + tried.resource + ": " + reply.Body
				if allowed {
					require.Less(t, reply.Code, 300, message)
				} else {
					require.Equal(t, http.StatusForbidden, reply.Code, message)
				}
			}
		}
	}
}

// grant gives a user one permission, and waits until kube-apiserver applies it.
func (s *besideSite) grant(t *testing.T, user string, a action) {
	t.Helper()
	_, err := s.Client.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{a.resource}, Verbs: []string{a.verb}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.bind(t, user, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user})
	s.waitAllowed(t, user, a.verb, a.resource, true)
}

// bind binds a ClusterRole with a ClusterRoleBinding of the same name.
func (s *besideSite) bind(t *testing.T, role string, subject rbacv1.Subject) {
	t.Helper()
	_, err := s.Client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// waitAllowed waits until kube-apiserver allows or denies an action of a user.
func (s *besideSite) waitAllowed(t *testing.T, user, verb, resource string, allowed bool) {
	t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: resource, Subresource: subresource, Verb: verb},
	}}
	eventually.Holds(t, fmt.Sprintf("that %s may %s is %t", user, verb, allowed), func(a *eventually.Attempt) {
		answer, err := s.Client.AuthorizationV1().SubjectAccessReviews().Create(a.Context(), review, metav1.CreateOptions{})
		require.NoError(a, err)
		require.Equal(a, allowed, answer.Status.Allowed)
	})
}
