package behind

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// testPermissions lets a user list, and nothing else. Which verb a request has, k8s.io/apiserver decides.
func testPermissions(t *testing.T, s *besideSite) {
	const user = "lister"
	s.kubectl.Run(t, "create", "clusterrole", user, "--verb=list", "--resource=flowschemas."+group)
	s.bind(t, user, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user})
	s.waitAllowed(t, user, "list", "flowschemas", true)
	for _, way := range s.ways(t) {
		config := way.as(s.admin(t), impersonating(rest.ImpersonationConfig{UserName: user}))
		require.Equal(t, http.StatusOK, send(t, config, http.MethodGet, objectsPath, "").Code, way.name)
		require.Equal(t, http.StatusForbidden, send(t, config, http.MethodGet, objectsPath+"/catch-all", "").Code, way.name)
		require.Equal(t, http.StatusForbidden, send(t, config, http.MethodPost, objectsPath+"?dryRun=All", flowSchema("new", 500)).Code, way.name)
	}
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
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: resource, Verb: verb},
	}}
	eventually.Holds(t, fmt.Sprintf("that %s may %s is %t", user, verb, allowed), func(a *eventually.Attempt) {
		answer, err := s.Client.AuthorizationV1().SubjectAccessReviews().Create(a.Context(), review, metav1.CreateOptions{})
		require.NoError(a, err)
		require.Equal(a, allowed, answer.Status.Allowed)
	})
}
