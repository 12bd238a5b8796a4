package rbacfile

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	rbacvalidation "k8s.io/component-helpers/auth/rbac/validation"
)

// policy is the content of a file.
type policy struct {
	users, groups map[string][]grant
}

// grant is a role that is bound to a subject.
type grant struct {
	rules []rbacv1.PolicyRule
	// reason is for audit events.
	reason string
}

// newPolicy returns the policy of valid objects.
func newPolicy(objects *objects) *policy {
	p := &policy{users: make(map[string][]grant), groups: make(map[string][]grant)}
	for _, binding := range objects.bindings {
		role := objects.roles[binding.RoleRef.Name]
		for _, subject := range binding.Subjects {
			granted := grant{role.Rules, fmt.Sprintf("RBAC file: allowed by ClusterRoleBinding %q of ClusterRole %q to %s %q",
				binding.Name, role.Name, subject.Kind, subject.Name)}
			switch subject.Kind {
			case rbacv1.GroupKind:
				p.groups[subject.Name] = append(p.groups[subject.Name], granted)
			case rbacv1.ServiceAccountKind:
				name := serviceaccount.MakeUsername(subject.Namespace, subject.Name)
				p.users[name] = append(p.users[name], granted)
			default:
				p.users[subject.Name] = append(p.users[subject.Name], granted)
			}
		}
	}
	return p
}

// allows reports whether a user may do something, and by what.
func (p *policy) allows(who user.Info, attributes authorizer.Attributes) (reason string, allowed bool) {
	request := []rbacv1.PolicyRule{ruleOf(attributes)}
	for _, granted := range p.grants(who) {
		if covered, _ := rbacvalidation.Covers(granted.rules, request); covered {
			return granted.reason, true
		}
	}
	return "", false
}

// grants returns what is bound to a user and to their groups.
func (p *policy) grants(who user.Info) []grant {
	found := slices.Clone(p.users[who.GetName()])
	for _, group := range who.GetGroups() {
		found = append(found, p.groups[group]...)
	}
	return found
}

// ruleOf returns the smallest rule that allows a request.
func ruleOf(attributes authorizer.Attributes) rbacv1.PolicyRule {
	rule := rbacv1.PolicyRule{Verbs: []string{attributes.GetVerb()}}
	if !attributes.IsResourceRequest() {
		rule.NonResourceURLs = []string{attributes.GetPath()}
		return rule
	}
	resource := attributes.GetResource()
	if subresource := attributes.GetSubresource(); subresource != "" {
		resource += "/" + subresource
	}
	rule.APIGroups, rule.Resources = []string{attributes.GetAPIGroup()}, []string{resource}
	if name := attributes.GetName(); name != "" {
		rule.ResourceNames = []string{name}
	}
	return rule
}
