package rbacfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/klog/v2"
)

// Authorizer allows what a file allows, and has no opinion about the rest.
type Authorizer struct {
	file    string
	current atomic.Pointer[policy]
	// lastContent is the content in use, or an invalid one already reported. Only
	// reload uses it.
	lastContent []byte
}

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

// New reads the file. The error says what is wrong with it.
func New(file string) (*Authorizer, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("must be a readable file: %w", err)
	}
	found, err := decode(content)
	if err != nil {
		return nil, err
	}
	a := &Authorizer{file: file, lastContent: content}
	a.current.Store(newPolicy(found))
	return a, nil
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

// Run reads the file again once per interval until ctx ends. It polls the content, since
// a mounted ConfigMap changes through symbolic links.
func (a *Authorizer) Run(ctx context.Context, interval time.Duration) {
	wait.UntilWithContext(ctx, a.reload, interval)
}

// reload puts a changed file in force. An invalid one is logged once, and what was in
// force stays.
func (a *Authorizer) reload(context.Context) {
	content, err := os.ReadFile(a.file)
	if err != nil {
		klog.ErrorS(err, "Failed to read the RBAC file; the last one stays in force", "file", a.file)
		return
	}
	if bytes.Equal(content, a.lastContent) {
		return
	}
	a.lastContent = content
	found, err := decode(content)
	if err != nil {
		klog.ErrorS(err, "The RBAC file is invalid; the last one stays in force", "file", a.file)
		return
	}
	a.current.Store(newPolicy(found))
	klog.InfoS("Reloaded the RBAC file", "file", a.file, "clusterRoles", len(found.roles), "clusterRoleBindings", len(found.bindings))
}
