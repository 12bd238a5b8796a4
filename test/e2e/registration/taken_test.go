package registration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// alices gives the requests of alice a level of their own.
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

// TestBothVersionsTakenOver takes v1 over on the store that kube-apiserver has
// too: what it reads, for its own flow control, before its watches come here is
// then no other than what it reads afterwards.
func TestBothVersionsTakenOver(t *testing.T) {
	s := startShared(t, "")
	s.Apply(t, "overlays/take-v1")
	s.MakeCertificates(t)
	s.ours = []string{"v1", "v1beta3"}
	s.waitAvailable(t)

	s.run(t, append([]theme{
		{"kube-apiserver's own flow control is configured at once", testConfigured},
		{"kube-apiserver reads its configuration here, and keeps what it last read", testKeeps},
	}, append(everywhere(),
		theme{"a kube-apiserver that is started while this server is away does not keep it away", testStartedAlone},
		theme{"v1 is given back", testGivenBack},
	)...)...)
}

// testStartedAlone starts kube-apiserver while it knows that nobody serves v1. It
// does not call itself live then before v1 is available, and answers nonetheless.
func testStartedAlone(t *testing.T, s *site) {
	back := s.leave(t)
	s.restartKubeAPIServer(t)
	s.waitAnswering(t)
	live := s.get(t, "/livez?verbose")
	require.Equal(t, http.StatusInternalServerError, live.code)
	require.Contains(t, live.body, "[-]autoregister-completion failed")
	back()
	s.waitBoth(t)
}

func testConfigured(t *testing.T, s *site) {
	s.kubectl.RunInput(t, alices, "apply", "-f", "-")
	applied := time.Now()
	s.alice = s.kubectl.Run(t, "get", "flowschema", "alices", "-o", "jsonpath={.metadata.uid}")
	cluster.Eventually(t, "alice's requests are governed by her schema", s.governsAlice)
	t.Logf("in force %v after it was applied", time.Since(applied).Round(time.Millisecond))
}

// testKeeps deletes a schema in the store, unseen by this server. Did
// kube-apiserver look there itself, it would know.
func testKeeps(t *testing.T, s *site) {
	s.cutOff(t)
	client := s.unverified(t)
	cluster.Eventually(t, "kube-apiserver watches schemas here", func(ctx context.Context) error {
		count, err := s.watches(ctx, client)
		// Each replica watches its own; the garbage collector watches all there is.
		if err == nil && count < replicas+2 {
			err = fmt.Errorf("there are %d watches", count)
		}
		return err
	})
	back := s.leave(t)
	deleted, err := s.Etcd.Client(t).Delete(t.Context(), "/registry/flowschemas/alices")
	require.NoError(t, err)
	require.EqualValues(t, 1, deleted.Deleted)
	s.waitStale(t)
	for range 20 {
		require.NoError(t, s.governsAlice(t.Context()))
	}
	back()
	cluster.Eventually(t, "kube-apiserver has read its configuration again", func(ctx context.Context) error {
		if s.governsAlice(ctx) == nil {
			return errors.New("alice's schema is still in force")
		}
		return nil
	})
}

// cutOff ends the watches of all that watch at kube-apiserver, itself included:
// what happens while it has no etcd is gone when it has it again. From then on
// all watch at the server that the API is registered for; otherwise that takes
// them up to ten minutes.
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

// unverified is a client of the administrator that trusts any server.
func (s *site) unverified(t *testing.T) *http.Client {
	t.Helper()
	config := s.Config(t)
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client
}

// watches counts those of schemas in v1 at all replicas.
func (s *site) watches(ctx context.Context, client *http.Client) (int, error) {
	series := regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{[^}]*resource="flowschemas"[^}]*verb="WATCH",version="v1"\} (\d+)$`)
	total := 0
	for _, pod := range s.Node.Pods(cluster.ServerPods) {
		metrics, err := get(ctx, client, "https://"+pod.Address(7443)+"/metrics")
		if err = errors.Join(err, metrics.unless(http.StatusOK)); err != nil {
			return 0, err
		}
		for _, match := range series.FindAllStringSubmatch(metrics.body, -1) {
			count, err := strconv.Atoi(match[1])
			if err != nil {
				return 0, err
			}
			total += count
		}
	}
	return total, nil
}

// governsAlice is an error unless kube-apiserver's own flow control goes by the
// objects of alices.
func (s *site) governsAlice(ctx context.Context) error {
	asked, err := s.try(ctx, "/api/v1/nodes", "Impersonate-User: alice")
	if err != nil {
		return err
	}
	if uid := asked.header.Get("X-Kubernetes-Pf-Flowschema-Uid"); uid != s.alice {
		return fmt.Errorf("her schema is %s, that of her request %q", s.alice, uid)
	}
	dump, err := s.try(ctx, "/debug/api_priority_and_fairness/dump_priority_levels")
	if err == nil && !strings.Contains(dump.body, "\nalices, ") {
		err = fmt.Errorf("there is no level alices: %s", dump.body)
	}
	return err
}

// testGivenBack ends with v1 served by kube-apiserver itself.
func testGivenBack(t *testing.T, s *site) {
	s.ReturnV1(t)
	s.ours = []string{"v1beta3"}
	s.WaitAPIService(t, apiService("v1"))
	require.Equal(t, "onstart ", s.kubectl.Run(t, "get", "apiservice", apiService("v1"),
		"-o", `jsonpath={.metadata.labels.kube-aggregator\.kubernetes\.io/automanaged} {.spec.service}`))
	s.leave(t)
	require.Equal(t, http.StatusOK, s.get(t, path("v1", "catch-all")).code)
	s.restartKubeAPIServer(t)
	cluster.Eventually(t, "it remains so when kube-apiserver is started again", func(ctx context.Context) error {
		answer, err := s.try(ctx, path("v1", "catch-all"))
		return errors.Join(err, answer.unless(http.StatusOK))
	})
}
