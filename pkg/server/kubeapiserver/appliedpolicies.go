package kubeapiserver

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// MutatingPolicies are the cluster's MutatingAdmissionPolicies in a server that applies them.
// Writes continue without them if the cluster does not serve them or this server may not read
// them: an informer that never syncs would have the library reject every write.
type MutatingPolicies struct {
	// Start starts the informers of policies and bindings, in version v1, until stop is
	// closed. It may be called again.
	Start func(stop <-chan struct{})
	// Synced reports whether both informers have the cluster's objects.
	Synced func() bool

	concluded atomic.Bool
}

// Skipped reports whether writes continue without the policies. It is false while nothing is known
// yet: the library then waits for them, as for validating policies.
func (m *MutatingPolicies) Skipped() bool { return m.concluded.Load() && !m.Synced() }

// appliedPolicies checks that the policies can be read, and starts their informers when they
// can: informers of a resource that is not served log an error after each attempt.
type appliedPolicies struct {
	client   rest.Interface
	policies *MutatingPolicies
	ignored  *mutatingPolicies // of a cluster that does not serve version v1
	again    bool              // not the first round; the check runs in one goroutine
}

func (a *appliedPolicies) check(ctx context.Context) *failure {
	err := a.read(ctx)
	if err == nil {
		a.policies.Start(ctx.Done())
	}
	// What the first round did not find out may only take a moment; not so what the second did not.
	if a.again || apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		a.policies.concluded.Store(true)
	}
	a.again = true
	if apierrors.IsNotFound(err) && !a.policies.Synced() {
		return a.ignored.check(ctx)
	}
	return a.explain(err)
}

// read requests one object of each resource.
func (a *appliedPolicies) read(ctx context.Context) error {
	const api = "/apis/admissionregistration.k8s.io/v1"
	return bothErrors(mayList(ctx, a.client, api, "mutatingadmissionpolicies"), mayList(ctx, a.client, api, "mutatingadmissionpolicybindings"))
}

func (a *appliedPolicies) explain(err error) *failure {
	consequence := ", and writes go on without them: "
	if a.policies.Synced() {
		consequence = ", and those read before still apply: "
	}
	switch {
	case apierrors.IsNotFound(err):
		return &failure{message: "the cluster does not serve MutatingAdmissionPolicies in version v1 any more" + consequence +
			"upgrade kube-apiserver to 1.36 or later, or restart this server to go on without them", cause: err}
	case err != nil:
		return explain(err, "this server is not allowed to list the cluster's mutatingadmissionpolicies and mutatingadmissionpolicybindings"+consequence+
			"bind the ClusterRole flowcontrol-apiserver:admission of artifacts/base to this server's user")
	case !a.policies.Synced():
		return &failure{message: "the cluster's MutatingAdmissionPolicies have not been read yet" + consequence +
			"check that this server's user may watch mutatingadmissionpolicies and mutatingadmissionpolicybindings"}
	}
	return nil
}
