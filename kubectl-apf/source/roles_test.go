package source_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// operator is a manifest as a chart prints it: without namespaces, and with other kinds.
const operator = `# of a chart
{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {serviceAccountName: robot}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: store, namespace: other}, spec: {template: {spec: {containers: []}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1}, spec: {template: {spec: {serviceAccountName: robot}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBindingList
items: [{metadata: {name: b}, roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: ServiceAccount, name: robot}, {kind: Group, name: g}]}]
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: bound, namespace: far}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, rules: [{verbs: [get], apiGroups: [""], resources: [pods]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{verbs: [list], apiGroups: [""], resources: [pods]}]}
---
{apiVersion: v1, kind: Service, metadata: {name: s}}
`

func rolesOf(t *testing.T, options source.Options, runners ...source.Runner) (source.Roles, error) {
	t.Helper()
	options.Roles, options.Namespace = true, "shop"
	options.Files, options.Stdin = resource.FilenameOptions{Filenames: []string{"-"}}, strings.NewReader(operator)
	return newSource(t, options).Roles(t.Context(), runners)
}

func TestRolesOfFiles(t *testing.T) {
	got, err := rolesOf(t, source.Options{Offline: true},
		source.Runner{Kind: "Deployment", Namespace: "shop", Name: "web"}, source.Runner{Kind: "ServiceAccount", Namespace: "shop", Name: "robot"},
		source.Runner{Kind: "ServiceAccount", Namespace: "far", Name: "bound"})
	require.NoError(t, err)
	assert.Equal(t, []source.Account{{Namespace: "shop", Name: "robot"}, {Namespace: "far", Name: "bound"}}, got.Accounts, "each once; a binding is proof")
	require.Len(t, got.ClusterRoleBindings, 1)
	assert.Equal(t, "shop", got.ClusterRoleBindings[0].Subjects[0].Namespace)
	assert.Empty(t, got.ClusterRoleBindings[0].Subjects[1].Namespace)
	require.Len(t, got.RoleBindings, 1)
	assert.Equal(t, "shop", got.RoleBindings[0].Namespace)
	require.Len(t, got.Roles, 1)
	assert.Equal(t, "shop", got.Roles[0].Namespace)
	assert.Equal(t, []string{"list"}, got.ClusterRoles[0].Rules[0].Verbs)
	assert.Empty(t, got.Missing)
}

func TestRunnersThatAreNotThere(t *testing.T) {
	for kind, says := range map[string]string{
		"Deployment shop/gone":     "Deployment shop/gone is in none of the files, and no cluster is asked: give its manifest with -f.",
		"ServiceAccount shop/gone": "ServiceAccount shop/gone is in none of the files",
		"StatefulSet other/store":  `StatefulSet other/store names no service account, so its pods share "default" with all others in the namespace other`,
	} {
		var r source.Runner
		var place string
		_, err := fmt.Sscan(kind, &r.Kind, &place)
		require.NoError(t, err)
		r.Namespace, r.Name, _ = strings.Cut(place, "/")
		_, err = rolesOf(t, source.Options{Offline: true}, r)
		require.Error(t, err)
		assert.Contains(t, err.Error(), says)
	}
}

func TestRolesOfFilesAreLaidOverThoseOfACluster(t *testing.T) {
	const group = "/apis/rbac.authorization.k8s.io/v1/"
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	answers := standardAnswers(t, configuration.Newest)
	answers[group+"clusterroles"] = ok(listOf(t, "ClusterRoleList", "", []rbacv1.ClusterRole{{ObjectMeta: named("r")}, {ObjectMeta: named("s")}}))
	answers[group+"roles"] = ok(listOf(t, "RoleList", "", []rbacv1.Role{{ObjectMeta: metav1.ObjectMeta{Namespace: "far", Name: "r"}}}))
	answers[group+"clusterrolebindings"] = ok(listOf(t, "ClusterRoleBindingList", "", []rbacv1.ClusterRoleBinding{{ObjectMeta: named("b")}}))
	answers[group+"rolebindings"] = forbidden()
	answers["/apis/apps/v1/namespaces/shop/daemonsets/agent"] = ok(`{"spec": {"template": {"spec": {"serviceAccount": "agent"}}}}`)
	answers["/api/v1/namespaces/shop/serviceaccounts/gone"] = rejection(http.StatusNotFound, "NotFound", "gone")
	server := startServer(t, answers)
	got, err := rolesOf(t, source.Options{Cluster: clusterOf(t, server.Server)}, source.Runner{Kind: "DaemonSet", Namespace: "shop", Name: "agent"})
	require.NoError(t, err)
	assert.Equal(t, []source.Account{{Namespace: "shop", Name: "agent"}}, got.Accounts)
	var names []string
	for _, r := range got.ClusterRoles {
		names = append(names, fmt.Sprint(r.Name, len(r.Rules)))
	}
	assert.Equal(t, []string{"s0", "r1"}, names, "the file's r replaces the cluster's")
	assert.Len(t, got.Roles, 2, "they are of two namespaces")
	assert.Len(t, got.ClusterRoleBindings, 1)
	assert.Contains(t, whys(got.Missing), `"list" on rolebindings.rbac.authorization.k8s.io`)

	_, err = rolesOf(t, source.Options{Cluster: clusterOf(t, server.Server)}, source.Runner{Kind: "ServiceAccount", Namespace: "shop", Name: "gone"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "ServiceAccount shop/gone does not exist in the cluster")
}
