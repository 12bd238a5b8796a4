package rbacfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
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

var _ authorizer.Authorizer = (*Authorizer)(nil)

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

// Authorize never returns an error.
func (a *Authorizer) Authorize(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if who := attributes.GetUser(); who != nil {
		if reason, allowed := a.current.Load().allows(who, attributes); allowed {
			return authorizer.DecisionAllow, reason, nil
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
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
