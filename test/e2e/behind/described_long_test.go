//go:build long

package behind

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// troubles are a FlowSchema whose level is missing, and a level that rejects the requests of
// one user: it has no seats and borrows none.
const troubles = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: dangling}
spec: {priorityLevelConfiguration: {name: absent}, matchingPrecedence: 700}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: jammed}
spec: {type: Limited, limited: {nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: jammed}
spec:
  priorityLevelConfiguration: {name: jammed}
  matchingPrecedence: 600
  rules:
  - subjects: [{kind: User, user: {name: jammed}}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
`

// TestKubectlDescribeShowsWhatAdministratorsShouldKnow waits for each Event that this server
// writes, at a real kube-apiserver. What lasts is said after minutes.
func TestKubectlDescribeShowsWhatAdministratorsShouldKnow(t *testing.T) {
	s := startWithoutFlowControl(t)
	const deleted = "endpoint-controller"
	s.kubectl.RunInput(t, troubles, "apply", "-f", "-")
	s.jam(t)
	changeBuiltIn(t, s)
	s.kubectl.Run(t, "delete", qualified("v1"), deleted)
	for _, event := range []struct {
		kind, resource, name, reason, says string
		writers                            int
	}{
		{"FlowSchema", qualified("v1"), changed, "Restored", "The spec of this built-in object differed from this release's", 1},
		{"FlowSchema", qualified("v1"), deleted, "Recreated", "This built-in object was deleted, and the server created it again", 1},
		{"FlowSchema", qualified("v1"), "dangling", "MissingPriorityLevel", `No priority level "absent" exists`, 1},
		{"PriorityLevelConfiguration", "prioritylevelconfigurations.v1." + group, "jammed", "RejectingRequests", `\S+ has rejected requests of this priority level in each of 3 minutes`, replicas},
	} {
		s.waitEvent(t, event.kind, event.name, event.reason, event.writers)
		require.Regexp(t, `Warning +`+event.reason+` +\S+ .*flowcontrol-apiserver +`+event.says, s.kubectl.Run(t, "describe", event.resource, event.name))
	}
	testNothingForbidden(t, s)
}

// jam sends requests that the level jammed rejects, until the test ends.
func (s *site) jam(t *testing.T) {
	t.Helper()
	var senders sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); senders.Wait() })
	senders.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			_, _ = harness.Send(ctx, s.http, http.MethodGet, s.KubeAPIServer.URL+"/apis/"+group+"/v1", "", "Impersonate-User: jammed")
		}, time.Second)
	})
}
