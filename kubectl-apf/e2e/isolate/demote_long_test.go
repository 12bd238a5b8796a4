//go:build long

package isolate_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const (
	culprit     = "system:serviceaccount:shop:runaway"
	connections = 100
	others      = 20
	// phase is how long each configuration is measured in each of the rounds.
	phase  = 6 * time.Second
	rounds = 3
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
// hold seats and no processor: each waits 3 s for a resource version that does not come. The configurations take
// turns, so that other work on the machine slows down all of them.
func TestDemotionHelpsOnAnUnmodifiedKubeAPIServer(t *testing.T) {
	s := newSite(t, "--max-requests-inflight=7", "--max-mutating-requests-inflight=3")
	s.kubectl.Run(t, "create", "configmap", "x", "-n", "default")
	s.kubectl.Run(t, "create", "namespace", "shop")
	s.kubectl.Run(t, "create", "serviceaccount", "runaway", "-n", "shop")
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=get,list", "--resource=configmaps")
	s.kubectl.Run(t, "create", "clusterrolebinding", "readers", "--clusterrole=reader", "--group=system:serviceaccounts")
	line := func(user int) string { return fmt.Sprintf("get configmaps x -n default --as=%s", other(user)) }
	before := s.placeOf(t.Context(), t, line(0))
	took := map[string][]time.Duration{}
	measure := func(name string) { took[name] = append(took[name], s.measure(t, phase)...) }
	file := filepath.Join(t.TempDir(), "demoted.yaml")
	var relief []time.Duration
	for range rounds {
		measure("quiet")
		stop := s.overload(t)
		s.requireQueue(t, "workload-low")
		measure("nothing")

		start := time.Now()
		made := s.kubectl.Run(t, "apf", "isolate", "--demote="+culprit, "-o", "yaml")
		require.NoError(t, os.WriteFile(file, []byte(made), 0o600))
		s.kubectl.Run(t, "apply", "-f", file)
		s.requireEmpty(t, "workload-low") // of what waited before
		relief = append(relief, time.Since(start).Round(time.Second/10))
		measure("demotion")
		for user := range others {
			assert.Equal(t, before, s.placeOf(t.Context(), t, line(user)), "no innocent moves")
		}
		s.kubectl.Run(t, "delete", "-f", file)

		s.requireQueue(t, "workload-low")
		s.kubectl.RunInput(t, guard, "apply", "-f", "-")
		s.requireQueue(t, "guard")
		measure("a rule for all")
		stop()
		s.kubectl.RunInput(t, guard, "delete", "-f", "-")
		s.requireEmpty(t)
	}
	for name, all := range took {
		t.Logf("%s: p99 %v, median %v of %d requests", name, p99(all), all[len(all)/2].Round(time.Millisecond/10), len(all))
	}
	t.Logf("relief after 2 commands and %v", relief)
	assert.LessOrEqual(t, p99(took["demotion"]), 2*p99(took["quiet"]))
	assert.Greater(t, p99(took["nothing"]), 300*time.Millisecond, "the overload hurts")
}

func other(i int) string { return fmt.Sprintf("system:serviceaccount:team-%d:app", i) }

// send sends a request as a service account, and returns the code of the response.
func (s *site) send(ctx context.Context, client *http.Client, user, path string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Impersonate-User", user)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()                 //nolint:errcheck // it was read
	_, err = io.Copy(io.Discard, response.Body) // keeps the connection
	return response.StatusCode, err
}

// overload keeps the connections of the culprit busy until the function that it returns is called.
func (s *site) overload(t *testing.T) func() {
	ctx, cancel := context.WithCancel(t.Context())
	config := rest.CopyConfig(s.config)
	config.NextProtos = []string{"http/1.1"} // one connection for each request
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	var clients sync.WaitGroup
	for range connections {
		clients.Go(func() {
			for ctx.Err() == nil {
				code, err := s.send(ctx, client, culprit, "/api/v1/configmaps?resourceVersion=999999999&resourceVersionMatch=NotOlderThan")
				switch {
				case ctx.Err() != nil:
				case err != nil || code != http.StatusTooManyRequests && code != http.StatusGatewayTimeout:
					t.Errorf("the culprit got %d: %v", code, err)
					return
				case code == http.StatusTooManyRequests:
					pause(ctx)
				}
			}
		})
	}
	return func() {
		cancel()
		clients.Wait()
		client.CloseIdleConnections()
	}
}

// pause waits a second, as client-go does after a rejection.
func pause(ctx context.Context) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// measure returns how long the others waited, shortest first. Each of them sends a request a second, and repeats
// one that was rejected.
func (s *site) measure(t *testing.T, lasting time.Duration) []time.Duration {
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
				code, err := s.get(t.Context(), user)
				if err != nil || code != http.StatusOK {
					t.Errorf("%s got %d: %v", other(user), code, err)
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
	return took
}

// get reads an object until it is not rejected.
func (s *site) get(ctx context.Context, user int) (int, error) {
	for {
		code, err := s.send(ctx, s.http, other(user), "/api/v1/namespaces/default/configmaps/x")
		if err != nil || code != http.StatusTooManyRequests {
			return code, err
		}
		pause(ctx)
	}
}

// p99 returns the 99th percentile.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100].Round(time.Millisecond / 10)
}

// requireQueue waits until requests wait in a level.
func (s *site) requireQueue(t *testing.T, level string) {
	t.Helper()
	eventually.Holds(t, "requests wait in "+level, func(a *eventually.Attempt) {
		assert.Positive(a, s.requests(a, t)[level].waiting)
	})
}

// requireEmpty waits until no request waits or executes in a level, or in all levels but the exempt one.
func (s *site) requireEmpty(t *testing.T, levels ...string) {
	t.Helper()
	eventually.Holds(t, "no request is left", func(a *eventually.Attempt) {
		for level, found := range s.requests(a, t) {
			if level != "exempt" && (len(levels) == 0 || slices.Contains(levels, level)) {
				assert.Zero(a, found, level)
			}
		}
	})
}

// load has the requests of a level.
type load struct{ waiting, executing int }

// requests returns the requests of each level.
func (s *site) requests(a *eventually.Attempt, t *testing.T) map[string]load {
	all := map[string]load{}
	for row := range strings.Lines(s.kubectl.Run(t, "get", "--raw", "/debug/api_priority_and_fairness/dump_priority_levels")) {
		fields := strings.FieldsFunc(row, func(r rune) bool { return r == ',' || r == ' ' })
		if len(fields) < 6 || fields[0] == "PriorityLevelName" {
			continue
		}
		waiting, err := strconv.Atoi(fields[4])
		require.NoError(a, err, row)
		executing, err := strconv.Atoi(fields[5])
		require.NoError(a, err, row)
		all[fields[0]] = load{waiting, executing}
	}
	return all
}
