package kubeapiserver

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// applying is a server that applies mutating policies.
type applying struct {
	*front
	*Monitor
	policies        *MutatingPolicies
	started, synced atomic.Bool
}

func newApplying(t *testing.T) *applying {
	t.Helper()
	a := &applying{front: newFront(t)}
	a.policies = &MutatingPolicies{Start: func(<-chan struct{}) { a.started.Store(true) }, Synced: a.synced.Load}
	config := &rest.Config{Host: a.URL}
	var err error
	a.Monitor, err = New(Config{
		Authentication: config, Authorization: config, Informers: a.front, MutatingPolicies: a.policies,
		Clock: a.front.clock, Log: funcr.New(a.log.add, funcr.Options{}),
	})
	require.NoError(t, err)
	return a
}

// say has kube-apiserver answer requests for policies and bindings.
func (a *applying) say(code int, body string) {
	for _, resource := range []string{"mutatingadmissionpolicies", "mutatingadmissionpolicybindings"} {
		a.front.say(admissionPath+"v1/"+resource, code, body)
	}
}

const applied = "[+]mutating-policies ok\n"

func TestPoliciesThatCannotBeReadAreSkippedAtOnceAndSaid(t *testing.T) {
	const ofAll = `{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}`
	for _, c := range []struct {
		name string
		code int    // of version v1
		beta string // the policies of version v1beta1, if that is served
		said string
	}{
		{"the cluster has none", http.StatusNotFound, "", applied},
		{"the cluster has an older version", http.StatusNotFound, policiesOf(ofAll), "[+]mutating-policies ok, but: 1 MutatingAdmissionPolicies of the cluster match"},
		{"the cluster has an older version, and none that match", http.StatusNotFound, policiesOf(), applied},
		{"they are forbidden", http.StatusForbidden, "", "[+]mutating-policies ok, but: this server is not allowed to list the cluster's mutatingadmissionpolicies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newApplying(t)
			a.say(c.code, statusBody(c.code))
			for _, version := range []string{"v1alpha1", "v1beta1"} {
				for _, resource := range []string{"mutatingadmissionpolicies", "mutatingadmissionpolicybindings"} {
					a.front.say(admissionPath+version+"/"+resource, http.StatusNotFound, statusBody(http.StatusNotFound))
				}
			}
			if c.beta != "" {
				a.front.say(admissionPath+"v1beta1/mutatingadmissionpolicies", http.StatusOK, c.beta)
				a.front.say(admissionPath+"v1beta1/mutatingadmissionpolicybindings", http.StatusOK, `{"items": [{"spec": {"policyName": "a"}}]}`)
			}
			require.False(t, a.policies.Skipped(), "nothing is known yet")
			a.Round(t.Context())
			require.True(t, a.policies.Skipped())
			require.Contains(t, readyz(a.Monitor), c.said)
			if _, remark, found := strings.Cut(c.said, ", but: "); found {
				assert.Equal(t, 1, a.log.count(remark))
			}
			assert.False(t, a.started.Load(), "its informers would log an error after each attempt")

			// They apply as soon as they can be read, without a restart.
			a.front.say(admissionPath+"v1/mutatingadmissionpolicies", http.StatusOK, policiesOf(ofAll))
			a.front.say(admissionPath+"v1/mutatingadmissionpolicybindings", http.StatusOK, `{"items": [{"spec": {"policyName": "a"}}]}`)
			a.Round(t.Context())
			require.True(t, a.started.Load())
			a.synced.Store(true)
			a.Round(t.Context())
			require.False(t, a.policies.Skipped())
			require.Contains(t, readyz(a.Monitor), applied)
		})
	}
}

func TestInformersThatDoNotSyncDelayWritesForOneRound(t *testing.T) {
	for name, code := range map[string]int{"they may list but not watch": http.StatusOK, "kube-apiserver fails": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			a := newApplying(t)
			a.say(code, statusBody(code))
			a.Round(t.Context())
			require.False(t, a.policies.Skipped(), "they may sync in a moment")
			a.Round(t.Context())
			require.True(t, a.policies.Skipped())
			require.Contains(t, readyz(a.Monitor), "[+]mutating-policies ok, but: ")
		})
	}
}

func TestPoliciesReadBeforeStillApplyWhenTheRightsAreLost(t *testing.T) {
	a := newApplying(t)
	a.synced.Store(true)
	a.Round(t.Context())
	a.say(http.StatusForbidden, forbidden)
	a.Round(t.Context())
	require.False(t, a.policies.Skipped())
	require.Contains(t, readyz(a.Monitor), ", and those read before still apply: ")
}
