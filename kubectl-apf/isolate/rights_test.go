package isolate

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// may allows what is listed, as in "web update coordination.k8s.io/leases shop".
func may(allowed ...string) func(source.Account, authorizationv1.ResourceAttributes) (bool, error) {
	return func(a source.Account, what authorizationv1.ResourceAttributes) (bool, error) {
		return slices.Contains(allowed, a.Name+" "+what.Verb+" "+what.Group+"/"+what.Resource+" "+what.Namespace), nil
	}
}

// ruleOf returns the first rule of a schema; nil if there is no schema of this name.
func ruleOf(r *Result, name string) *flowcontrolv1.ResourcePolicyRule {
	for i := range r.Objects {
		if s := r.Objects[i].FlowSchema; s != nil && s.Name == name {
			return &s.Spec.Rules[0].ResourceRules[0]
		}
	}
	return nil
}

func TestLeasesAndEventsAreThoseThatTheAPIServerAllows(t *testing.T) {
	for _, test := range []struct {
		name       string
		allowed    []string
		namespaces []string // of leases
		groups     []string // of events
	}{
		{"nothing", nil, nil, nil},
		{"everywhere", []string{"web update coordination.k8s.io/leases ", "web create /events "}, []string{"*"}, []string{""}},
		{"where it runs", []string{"web update coordination.k8s.io/leases shop", "web create events.k8s.io/events shop"}, []string{"shop"}, []string{"events.k8s.io"}},
		{"a right to update that names a lease shows by the right to create", []string{"web create coordination.k8s.io/leases kube-system"}, []string{"kube-system"}, nil},
		{"a tenant's namespace", []string{"web update coordination.k8s.io/leases tenant"}, []string{"tenant"}, nil},
		{"events of objects without a namespace", []string{"web create /events default"}, nil, []string{""}},
		{"somebody else's", []string{"dns update coordination.k8s.io/leases shop"}, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(t, web)
			in.May, in.Facts.Namespaces = may(test.allowed...), []string{"shop", "tenant", "kube-system"}
			r, err := Run(in)
			require.NoError(t, err)
			leases, events := ruleOf(r, "shop-web-leases"), ruleOf(r, "shop-web-events")
			if test.namespaces == nil {
				assert.Nil(t, leases)
				assert.Contains(t, r.Notes, "It may not create or update leases, so no flow schema is made for leader election.")
			} else {
				require.NotNil(t, leases)
				assert.Equal(t, test.namespaces, leases.Namespaces)
			}
			if test.groups == nil {
				assert.Nil(t, events)
				assert.Contains(t, r.Notes, "It may not create events, so no flow schema is made for them.")
			} else {
				require.NotNil(t, events)
				assert.Equal(t, test.groups, events.APIGroups)
			}
		})
	}
}

func TestRightsThatNobodyTellsAreAssumed(t *testing.T) {
	for err, note := range map[error]string{
		source.ErrNoReviews:     "No API server says what shop/web may do: it is assumed to use leases and to write events.",
		errors.New("forbidden"): "forbidden",
	} {
		in := input(t, web)
		asked := 0
		in.May = func(source.Account, authorizationv1.ResourceAttributes) (bool, error) {
			asked++
			return false, err
		}
		r, runErr := Run(in)
		require.NoError(t, runErr)
		assert.Contains(t, r.Notes, note)
		assert.Equal(t, []string{"*"}, ruleOf(r, "shop-web-leases").Namespaces)
		assert.Equal(t, []string{"", "events.k8s.io"}, ruleOf(r, "shop-web-events").APIGroups)
		assert.Equal(t, 1, asked, "an error is not repeated")
	}
}

func TestAccountThatDoesNotExistIsAnError(t *testing.T) {
	in := input(t, web)
	in.Facts.ServiceAccounts = map[string][]string{"shop": {"wed"}}
	_, err := Run(in)
	assert.ErrorContains(t, err, "the service account shop/web does not exist in the cluster")
}
