package rbacfile

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

const (
	teamA = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: team-a-schemas}
rules:
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: [flowschemas, flowschemas/status]
  resourceNames: [team-a]
  verbs: [get, update, patch]
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: ["*"]
  verbs: [list]
- nonResourceURLs: [/metrics, /debug/*]
  verbs: [get]
---
# Bindings follow.
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bound}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: team-a-schemas}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: team-a}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}
- {kind: ServiceAccount, namespace: ci, name: deployer}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: editor}
rules:
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: [flowschemas]
  verbs: [get, update]
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: [prioritylevelconfigurations/status]
  verbs: [update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: editors}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: editor}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}
- {kind: ServiceAccount, namespace: prod, name: editor}
`
	role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
`
)

func use(t *testing.T, content string) *Authorizer {
	t.Helper()
	a := New()
	require.NoError(t, a.Use([]byte(content)))
	return a
}

func resource(verb, resource, subresource, name string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		Verb: verb, APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1",
		Resource: resource, Subresource: subresource, Name: name, ResourceRequest: true,
	}
}

func TestUsersMayDoWhatTheirRolesAllow(t *testing.T) {
	a := use(t, teamA)
	member := &user.DefaultInfo{Name: "bob", Groups: []string{"other", "team-a"}}
	editor := &user.DefaultInfo{Name: "eve"}
	stranger := &user.DefaultInfo{Name: "mallory", Groups: []string{"alice", "team-b"}}
	for _, test := range []struct {
		name    string
		who     user.Info
		request authorizer.AttributesRecord
		allowed bool
	}{
		{"a member of the group reads its schema", member, resource("get", "flowschemas", "", "team-a"), true},
		{"and updates its status", member, resource("update", "flowschemas", "status", "team-a"), true},
		{"and lists everything", member, resource("list", "prioritylevelconfigurations", "", ""), true},
		{"and reads metrics", member, authorizer.AttributesRecord{Verb: "get", Path: "/metrics"}, true},
		{"and what is below a path", member, authorizer.AttributesRecord{Verb: "get", Path: "/debug/api_priority_and_fairness/top_flows"}, true},
		{"not another schema", member, resource("get", "flowschemas", "", "team-b"), false},
		{"not a new schema", member, resource("create", "flowschemas", "", ""), false},
		{"not all at once", member, resource("deletecollection", "flowschemas", "", ""), false},
		{"not another group", member, authorizer.AttributesRecord{Verb: "list", APIGroup: "apps", Resource: "deployments", ResourceRequest: true}, false},
		{"not a write to a path", member, authorizer.AttributesRecord{Verb: "post", Path: "/metrics"}, false},
		{"a user by name", &user.DefaultInfo{Name: "alice"}, resource("get", "flowschemas", "", "team-a"), true},
		{"a service account", &user.DefaultInfo{Name: "system:serviceaccount:ci:deployer"}, resource("get", "flowschemas", "", "team-a"), true},
		{"a service account of another namespace", &user.DefaultInfo{Name: "system:serviceaccount:x:deployer"}, resource("get", "flowschemas", "", "team-a"), false},
		{"a user by the bare name of a service account", &user.DefaultInfo{Name: "deployer"}, resource("get", "flowschemas", "", "team-a"), false},
		{"somebody whose group has the name of a user", stranger, resource("get", "flowschemas", "", "team-a"), false},
		{"an editor updates schemas", editor, resource("update", "flowschemas", "", "team-a"), true},
		{"not their status", editor, resource("update", "flowschemas", "status", "team-a"), false},
		{"and the status of levels", editor, resource("update", "prioritylevelconfigurations", "status", "x"), true},
		{"not the levels", editor, resource("update", "prioritylevelconfigurations", "", "x"), false},
		{"not what is bound to others", editor, resource("patch", "flowschemas", "", "team-a"), false},
		{"not a service account of the same name elsewhere", &user.DefaultInfo{Name: "system:serviceaccount:ci:editor"}, resource("update", "flowschemas", "", "x"), false},
		{"not a path of the name of a resource", editor, authorizer.AttributesRecord{Verb: "get", Path: "flowschemas"}, false},
		{"a group by the name of a user", &user.DefaultInfo{Name: "x", Groups: []string{"alice", "system:serviceaccount:ci:deployer"}}, resource("get", "flowschemas", "", "team-a"), false},
		{"a user by the name of a group", &user.DefaultInfo{Name: "team-a"}, resource("get", "flowschemas", "", "team-a"), false},
		{"nobody", nil, resource("get", "flowschemas", "", "team-a"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.request.User = test.who
			decision, reason, err := a.Authorize(t.Context(), test.request)
			require.NoError(t, err)
			if !test.allowed {
				require.Equal(t, authorizer.DecisionNoOpinion, decision)
				return
			}
			require.Equal(t, authorizer.DecisionAllow, decision)
			binding := `RBAC file: allowed by ClusterRoleBinding "bound" of ClusterRole "team-a-schemas" to `
			if test.who == editor {
				binding = `RBAC file: allowed by ClusterRoleBinding "editors" of ClusterRole "editor" to User "eve"`
			}
			require.Contains(t, reason, binding)
		})
	}
}

func TestInvalidFilesAreRejected(t *testing.T) {
	const binding = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\n"
	const ref = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\n"
	for _, test := range []struct{ name, content, want string }{
		{"no YAML", "a: [", "document 1: "},
		{"another kind", "apiVersion: v1\nkind: Pod\n", `document 1: no kind "Pod" is registered for version "v1"`},
		{"a role of a namespace", "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n",
			"document 1: Role: must be a ClusterRole or a ClusterRoleBinding: nothing that this server serves has a namespace"},
		{"an unknown field", role + "rule: []\n", `document 1: strict decoding error: unknown field "rule"`},
		{"a role twice", role + "---" + role, `document 2: ClusterRole "r" is there twice`},
		{"a role without a name", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n", "a ClusterRole has no metadata.name"},
		{"a rule without verbs", role + "rules: [{apiGroups: [a], resources: [b]}]\n", `ClusterRole "r": rules[0]: verbs must not be empty`},
		{"a rule without resources", role + "rules: [{apiGroups: [a], verbs: [b]}]\n", `ClusterRole "r": rules[0]: apiGroups and resources must not be empty`},
		{"a rule of both", role + "rules: [{apiGroups: [a], resources: [b], nonResourceURLs: [/c], verbs: [get]}]\n", "either nonResourceURLs, or apiGroups and resources"},
		{"an aggregated role", role + "aggregationRule: {}\n", `ClusterRole "r": aggregationRule is not supported: write the rules out`},
		{"a role that is missing", binding + ref, `ClusterRoleBinding "b": ClusterRole "r" is not in the file`},
		{"a role of another kind", role + binding + "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\n", `ClusterRoleBinding "b": roleRef must have apiGroup rbac.authorization.k8s.io and kind ClusterRole`},
		{"a subject of another kind", role + binding + ref + "subjects: [{kind: Robot, name: x}]\n", `ClusterRoleBinding "b": subjects[0]: kind must be User, Group or ServiceAccount, and is "Robot"`},
		{"a subject without a name", role + binding + ref + "subjects: [{kind: User}]\n", `ClusterRoleBinding "b": subjects[0]: name must not be empty`},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.ErrorContains(t, New().Use([]byte(test.content)), test.want)
		})
	}
}
