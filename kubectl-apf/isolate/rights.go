package isolate

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// grant is a rule that a role gives to a service account.
type grant struct {
	account source.Account
	// role is the role, such as "ClusterRole edit"; empty if the rule is assumed.
	role string
	// namespace is where the rule holds; empty: everywhere.
	namespace string
	rule      rbacv1.PolicyRule
}

// everyRule returns the rule that allows all requests for resources.
func everyRule() rbacv1.PolicyRule {
	all := []string{rbacv1.VerbAll}
	return rbacv1.PolicyRule{Verbs: all, APIGroups: all, Resources: all}
}

func (g *grant) isEverything() bool {
	return g.namespace == "" && has(g.rule.Verbs, "") && has(g.rule.APIGroups, "*") && has(g.rule.Resources, "")
}

// allows reports whether the rule allows a request for a resource.
func (g *grant) allows(verb, group, resource string) bool {
	return has(g.rule.Verbs, verb) && has(g.rule.APIGroups, group) && has(g.rule.Resources, resource)
}

// has reports whether a list of a rule has the value or the wildcard.
func has(list []string, value string) bool {
	return slices.Contains(list, rbacv1.VerbAll) || slices.Contains(list, value)
}

// grantsOf returns the rules of a service account, except for every user's rules, and the roles
// that are bound to it and are unknown.
func grantsOf(roles *source.Roles, account source.Account) (grants []grant, unknown []string) {
	add := func(ref rbacv1.RoleRef, namespace string) {
		role := ref.Kind + " " + ref.Name
		rules, found := clusterRole(roles, ref.Name)
		if ref.Kind != "ClusterRole" {
			role = ref.Kind + " " + namespace + "/" + ref.Name
			rules, found = roleIn(roles, namespace, ref.Name)
		}
		if !found {
			unknown = append(unknown, role)
		}
		for _, rule := range rules {
			grants = append(grants, grant{account: account, role: role, namespace: namespace, rule: rule})
		}
	}
	for i := range roles.ClusterRoleBindings {
		if b := &roles.ClusterRoleBindings[i]; binds(b.Subjects, account) {
			add(b.RoleRef, "")
		}
	}
	for i := range roles.RoleBindings {
		if b := &roles.RoleBindings[i]; binds(b.Subjects, account) {
			add(b.RoleRef, b.Namespace)
		}
	}
	return grants, unknown
}

// binds reports whether subjects name the account or a group of service accounts.
func binds(subjects []rbacv1.Subject, account source.Account) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.ServiceAccountKind:
			return s.Namespace == account.Namespace && s.Name == account.Name
		case rbacv1.GroupKind:
			return slices.Contains(serviceaccount.MakeGroupNames(account.Namespace), s.Name)
		default:
			return s.Name == user(account)
		}
	})
}

// roleIn returns the rules of a role.
func roleIn(roles *source.Roles, namespace, name string) (rules []rbacv1.PolicyRule, found bool) {
	for i := range roles.Roles {
		if r := &roles.Roles[i]; r.Namespace == namespace && r.Name == name {
			return r.Rules, true
		}
	}
	return nil, false
}

// clusterRole returns the rules of a cluster role. The rules of an aggregated one are in the
// cluster roles that it selects, until a controller copies them. Every cluster has cluster-admin.
func clusterRole(roles *source.Roles, name string) (rules []rbacv1.PolicyRule, found bool) {
	at := slices.IndexFunc(roles.ClusterRoles, func(r rbacv1.ClusterRole) bool { return r.Name == name })
	switch {
	case at < 0 && name == "cluster-admin":
		return []rbacv1.PolicyRule{everyRule()}, true
	case at < 0:
		return nil, false
	}
	role := &roles.ClusterRoles[at]
	if len(role.Rules) > 0 || role.AggregationRule == nil {
		return role.Rules, true
	}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			continue // the API server rejects this role
		}
		for k := range roles.ClusterRoles {
			if other := &roles.ClusterRoles[k]; other.Name != name && selector.Matches(labels.Set(other.Labels)) {
				rules = append(rules, other.Rules...)
			}
		}
	}
	return rules, true
}

// scope is where requests are allowed.
type scope struct {
	everywhere bool
	namespaces map[string]bool
}

func (s *scope) add(namespace string) {
	if namespace == "" {
		s.everywhere = true
		return
	}
	if s.namespaces == nil {
		s.namespaces = map[string]bool{}
	}
	s.namespaces[namespace] = true
}

func (s *scope) isEmpty() bool { return !s.everywhere && len(s.namespaces) == 0 }

// list returns the namespaces of a rule.
func (s *scope) list() []string {
	if s.everywhere {
		return []string{"*"}
	}
	return slices.Sorted(maps.Keys(s.namespaces))
}

// roleNames returns the roles of the grants, each once, in order.
func (p *plan) roleNames() []string {
	names := []string{}
	for i := range p.grants {
		if role := p.grants[i].role; role != "" && !slices.Contains(names, role) {
			names = append(names, role)
		}
	}
	return names
}
