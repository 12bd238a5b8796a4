//go:build long

package isolate_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	culprit     = "system:serviceaccount:shop:runaway"
	connections = 100
	others      = 20
	// phase is how long each configuration is measured.
	phase = 20 * time.Second
	// guard sends everybody but users of the system to one small level, as AKS does (Azure/AKS#5718).
	guard = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: guard}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, borrowingLimitPercent: 0, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: guard}
spec:
  matchingPrecedence: 950
  priorityLevelConfiguration: {name: guard}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: Group, group: {name: "system:serviceaccounts"}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`
)

// TestDemotionHelpsOnAnUnmodifiedKubeAPIServer measures how long 20 service accounts wait while one has 100
// connections: with nothing done, with a rule for all, and with the demotion of the one. The culprit's requests
// hold seats and no processor: each waits 3 s for a resource version that does not come.
func TestDemotionHelpsOnAnUnmodifiedKubeAPIServer(t *testing.T) {
	s := newSite(t, "--max-requests-inflight=7", "--max-mutating-requests-inflight=3")
	s.kubectl.Run(t, "create", "configmap", "x", "-n", "default")
	s.kubectl.Run(t, "create", "namespace", "shop")
	s.kubectl.Run(t, "create", "serviceaccount", "runaway", "-n", "shop")
	s.kubectl.Run(t, "create", "clusterrolebinding", "readers", "--clusterrole=view", "--group=system:serviceaccounts")
	line := func(user int) string { return fmt.Sprintf("get configmaps x -n default --as=%s", other(user)) }
	before := s.placeOf(t.Context(), t, line(0))
	p99 := map[string]time.Duration{"quiet": s.measure(t, phase)}
	stop := s.overload(t)
	defer stop()
	time99 := func(name string) { p99[name] = s.measure(t, phase) }
	time99("nothing")

	s.kubectl.RunInput(t, guard, "apply", "-f", "-")
	time99("a rule for all")
	s.kubectl.RunInput(t, guard, "delete", "-f", "-")

	made := s.kubectl.Run(t, "apf", "isolate", "--demote="+culprit, "-o", "yaml")
	file := filepath.Join(t.TempDir(), "demoted.yaml")
	require.NoError(t, os.WriteFile(file, []byte(made), 0o600))
	start := time.Now()
	s.kubectl.Run(t, "apply", "-f", file)
	var relief time.Duration
	for relief == 0 && time.Since(start) < time.Minute {
		if s.measure(t, 2*time.Second) <= 2*p99["quiet"] {
			relief = time.Since(start)
		}
	}
	time99("demotion")
	for user := range others {
		assert.Equal(t, before, s.placeOf(t.Context(), t, line(user)), "no innocent moves")
	}
	t.Logf("p99 of %d others, with %d connections of one: %v; relief after %v and 2 commands", others, connections, p99, relief)
	assert.Positive(t, relief)
	assert.LessOrEqual(t, p99["demotion"], 2*p99["quiet"])
	assert.Greater(t, p99["nothing"], 2*p99["quiet"], "otherwise nothing is measured")
	s.kubectl.Run(t, strings.Fields("delete flowschema,prioritylevelconfiguration demoted-shop-runaway")...)
}

func other(i int) string { return fmt.Sprintf("system:serviceaccount:team-%d:app", i) }

// send sends a request as a service account, and returns the response.
func (s *site) send(ctx context.Context, user, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Impersonate-User", user)
	response, err := s.http.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return response, err
}

// overload keeps the connections of the culprit busy until the function that it returns is called.
func (s *site) overload(t *testing.T) func() {
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range connections {
		clients.Go(func() {
			for ctx.Err() == nil {
				response, err := s.send(ctx, culprit, "/api/v1/configmaps?resourceVersion=999999999&resourceVersionMatch=NotOlderThan")
				if err == nil && response.StatusCode == http.StatusTooManyRequests {
					select { // as client-go does
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
				}
			}
		})
	}
	return func() {
		cancel()
		clients.Wait()
	}
}

// measure returns the 99th percentile of the latencies of the others. Each of them sends a request a second.
func (s *site) measure(t *testing.T, lasting time.Duration) time.Duration {
	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var clients sync.WaitGroup
	for user := range others {
		clients.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				start := time.Now()
				if _, err := s.send(t.Context(), other(user), "/api/v1/namespaces/default/configmaps/x"); err != nil {
					return
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	require.NotEmpty(t, took)
	slices.Sort(took)
	return took[len(took)*99/100].Round(time.Millisecond / 10)
}
