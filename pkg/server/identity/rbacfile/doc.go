// Package rbacfile authorizes users of a server without a kube-apiserver by a file of
// ClusterRoles and ClusterRoleBindings (rbac.authorization.k8s.io/v1), as
// artifacts/configuration/roles.yaml.
//
// The objects mean what they mean to kube-apiserver: a request is allowed if a rule of a
// role that is bound to its user or to one of its groups covers it. Package
// k8s.io/component-helpers/auth/rbac/validation compares rules. Roles and RoleBindings are
// errors, because nothing here has a namespace; so are aggregated ClusterRoles, and
// bindings of roles that are not in the file.
//
// kube-apiserver's RBAC authorizer, with roles as objects of the API, is not in the
// library.
package rbacfile
