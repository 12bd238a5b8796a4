package rbacfile

import (
	"context"
	"fmt"
	"sync/atomic"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Authorizer allows what a file allows, and has no opinion about the rest.
type Authorizer struct{ current atomic.Pointer[policy] }

var _ authorizer.RuleResolver = (*Authorizer)(nil)

// NewBuiltIn returns an authorizer that allows groups what the rules of each say.
func NewBuiltIn(groups map[string][]rbacv1.PolicyRule) *Authorizer {
	a, p := &Authorizer{}, &policy{groups: make(map[string][]grant)}
	for name, rules := range groups {
		p.groups[name] = []grant{{rules, fmt.Sprintf("built in: allowed to group %q", name)}}
	}
	a.current.Store(p)
	return a
}

// New returns an authorizer that allows nothing before Use.
func New() *Authorizer { return NewBuiltIn(nil) }

// Use applies the content of a file. The error says what is wrong with it; then what was in
// use stays.
func (a *Authorizer) Use(content []byte) error {
	found, err := decode(content)
	if err == nil {
		a.current.Store(newPolicy(found))
	}
	return err
}

// Authorize never returns an error. It is an authorizer.AuthorizerFunc.
func (a *Authorizer) Authorize(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if who := attributes.GetUser(); who != nil {
		if reason, allowed := a.current.Load().allows(who, attributes); allowed {
			return authorizer.DecisionAllow, reason, nil
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// RulesFor implements authorizer.RuleResolver. The list is complete, since nothing here has a
// namespace.
func (a *Authorizer) RulesFor(_ context.Context, who user.Info, _ string) (resources []authorizer.ResourceRuleInfo, paths []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	for _, granted := range a.current.Load().grants(who) {
		for _, rule := range granted.rules {
			if len(rule.Resources) > 0 {
				resources = append(resources, &authorizer.DefaultResourceRuleInfo{
					Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames,
				})
			}
			if len(rule.NonResourceURLs) > 0 {
				paths = append(paths, &authorizer.DefaultNonResourceRuleInfo{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
			}
		}
	}
	return resources, paths, false, nil
}
