package behind

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// alices gives the requests of alice a separate level.
const alices = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: alices}
spec: {type: Limited, limited: {nominalConcurrencyShares: 7, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: alices}
spec:
  matchingPrecedence: 300
  priorityLevelConfiguration: {name: alices}
  rules:
  - subjects: [{kind: User, user: {name: alice}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`

func testConfigured(t *testing.T, s *site) {
	s.kubectl.RunInput(t, alices, "apply", "-f", "-")
	s.alice = s.kubectl.Run(t, "get", "flowschema", "alices", "-o", "jsonpath={.metadata.uid}")
	eventually.Holds(t, "alice's requests are governed by her schema", func(a *eventually.Attempt) {
		require.True(a, s.governsAlice(a))
	})
}

// testKeeps deletes a schema directly in the store while this server is stopped.
// kube-apiserver would notice only if it watched the store itself.
func testKeeps(t *testing.T, s *site) {
	s.cutOff(t)
	client := s.unverified(t)
	eventually.Holds(t, "kube-apiserver watches schemas here", func(a *eventually.Attempt) {
		// Each replica watches its own schemas. The garbage collector watches all
		// resources.
		require.GreaterOrEqual(a, s.watches(a, client), replicas+2)
	})
	testAway(t, s, func(t *testing.T, s *site) {
		t.Helper()
		deleted, err := s.Etcd.Client(t).Delete(t.Context(), "/registry/flowschemas/alices")
		require.NoError(t, err)
		require.EqualValues(t, 1, deleted.Deleted)
		for range 20 {
			require.True(t, s.governsAlice(t))
		}
	})
	eventually.Holds(t, "kube-apiserver has read its configuration again", func(a *eventually.Attempt) {
		require.False(a, s.governsAlice(a), "alice's schema is still in force")
	})
}

// cutOff ends all watches at kube-apiserver, including its own: changes during an
// outage of etcd are compacted before it ends. All clients then watch at the
// server that the API is registered for. Without cutOff this takes up to ten
// minutes.
func (s *site) cutOff(t *testing.T) {
	t.Helper()
	process := s.KubeAPIServer.Process
	process.Pause(t)
	s.Etcd.Kill(t)
	s.Etcd.Start(s.owner)
	client := s.Etcd.Client(t)
	var put *clientv3.PutResponse
	var err error
	for range 2 {
		put, err = client.Put(t.Context(), "/elsewhere", "")
		require.NoError(t, err)
	}
	_, err = client.Compact(t.Context(), put.Header.Revision)
	require.NoError(t, err)
	process.Resume()
	s.waitBoth(t)
}

// unverified returns a client of the administrator that does not verify
// certificates.
func (s *site) unverified(t *testing.T) *http.Client {
	t.Helper()
	config := s.Config(t)
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client
}

// watches counts the watches of v1 schemas at all replicas.
func (s *site) watches(t tester, client *http.Client) int {
	t.Helper()
	series := regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{[^}]*resource="flowschemas"[^}]*verb="WATCH",version="v1"\} (\d+)$`)
	total := 0
	for _, pod := range s.Node.Pods(cluster.ServerPods) {
		metrics := get(t, client, "https://"+pod.Address(cluster.ServerPort)+"/metrics")
		require.Equal(t, http.StatusOK, metrics.Code, metrics.Body)
		for _, match := range series.FindAllStringSubmatch(metrics.Body, -1) {
			count, err := strconv.Atoi(match[1])
			require.NoError(t, err)
			total += count
		}
	}
	return total
}

// governsAlice reports whether kube-apiserver's flow control uses the objects of
// alices.
func (s *site) governsAlice(t tester) bool {
	t.Helper()
	asked := s.get(t, "/api/v1/nodes", "Impersonate-User: alice")
	dump := s.get(t, "/debug/api_priority_and_fairness/dump_priority_levels")
	return asked.Header.Get("X-Kubernetes-Pf-Flowschema-Uid") == s.alice && strings.Contains(dump.Body, "\nalices, ")
}

// testGivenBack returns v1 to kube-apiserver.
func testGivenBack(t *testing.T, s *site) {
	s.ReturnV1(t)
	s.ours = []string{"v1beta3"}
	s.waitSays(t, "v1", "Local: Local APIServices are always available")
	require.Equal(t, "onstart ", s.kubectl.Run(t, "get", "apiservice", apiService("v1"),
		"-o", `jsonpath={.metadata.labels.kube-aggregator\.kubernetes\.io/automanaged} {.spec.service}`))
	s.leave(t)
	require.Equal(t, http.StatusOK, s.get(t, path("v1", "catch-all")).Code)
	s.restartKubeAPIServer(t)
	s.waitOK(t, path("v1", "catch-all")) // after the restart too
}
