//go:build long

package monitoring

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// adminToken is of system:masters.
	adminToken, crowdToken, borrowerToken = "admin-token", "crowd-token", "borrower-token"
	tokens                                = `admin-token,admin,u1,"system:masters"
crowd-token,crowd,u2
borrower-token,borrower,u3
`
)

// alone are servers without a kube-apiserver on one etcd, watched by a Prometheus.
type alone struct {
	owner      *testing.T // owns the processes
	etcd       *harness.Etcd
	wire       *wire
	users      []string // flags of the servers
	servers    []*harness.Server
	prometheus *prometheus
	kubectl    *harness.Kubectl
}

// TestAlertsOfServersAlone produces the faults one after the other. Before, between and after
// them no alert fires.
func TestAlertsOfServersAlone(t *testing.T) {
	s := startAlone(t)
	s.prometheus.requireRests(t)
	for _, fault := range []struct {
		name    string
		produce func(*testing.T, *alone)
	}{
		{"a flow schema dangles, and an object is invalid", testNotInForce},
		{"etcd is slow, and a crowd sends more than its level takes", testCrowd},
		{"a level needs more than its nominal limit", testBorrower},
		{"a server has fewer seats than its machine can bear", testFewSeats},
		{"the memory of a server is short", testShortOfMemory},
		{"a replica uses another store, and stops", testOtherStore},
		{"a certificate is near its end", testCertificate},
		{"a client reverts the keeper", testReverted},
		{"etcd is nearly full", testLargeEtcd},
		{"etcd stops", testEtcdStops},
		{"all replicas stop", testAllStop},
	} {
		t.Run(fault.name, func(t *testing.T) { fault.produce(t, s) })
	}
}

func startAlone(t *testing.T) *alone {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{Args: []string{fmt.Sprintf("--quota-backend-bytes=%d", etcdQuota)}})
	s := &alone{owner: t, etcd: etcd, wire: newWire(t, strings.TrimPrefix(etcd.URL, "http://"))}
	file := filepath.Join(t.TempDir(), "tokens.csv")
	write(t, file, tokens)
	s.users = append(allowAll(t), "--token-auth-file="+file)
	s.servers = []*harness.Server{s.start(t), s.start(t)}
	s.kubectl = s.servers[0].Kubectl(t)
	s.prometheus = startPrometheus(t, "authorization: {credentials: "+adminToken+"}\n  tls_config: {insecure_skip_verify: true}")
	s.watch(t)
	s.prometheus.awaitUp(t, 3)
	return s
}

// start starts a server with 40 seats, which reaches etcd through the wire.
func (s *alone) start(t *testing.T, args ...string) *harness.Server {
	t.Helper()
	return harness.StartServer(t, harness.ServerOptions{Args: s.flags(append(args, "--max-requests-inflight=30", "--max-mutating-requests-inflight=10")...)})
}

// flags are the flags of every server, and others.
func (s *alone) flags(others ...string) []string {
	return slices.Concat(s.users, []string{"--etcd-servers=http://" + s.wire.address}, others)
}

// watch makes Prometheus scrape etcd, the servers and others.
func (s *alone) watch(t *testing.T, others ...*harness.Server) {
	t.Helper()
	s.prometheus.scrape(t, map[string][]string{serverJob: s.addresses(others...), etcdJob: {strings.TrimPrefix(s.etcd.URL, "http://")}})
}

// addresses returns the addresses of the servers and of others.
func (s *alone) addresses(others ...*harness.Server) (addresses []string) {
	for _, server := range append(others, s.servers...) {
		addresses = append(addresses, strings.TrimPrefix(server.URL, "https://"))
	}
	return addresses
}

func (s *alone) apply(t *testing.T, manifests string) {
	t.Helper()
	s.kubectl.RunInput(t, manifests, "apply", "-f", "-")
}

// govern creates a level and a flow schema for the requests of a user.
func (s *alone) govern(t *testing.T, user, limited string) {
	t.Helper()
	s.apply(t, `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: `+user+`}
spec: {type: Limited, limited: `+limited+`}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: `+user+`}
spec:
  priorityLevelConfiguration: {name: `+user+`}
  matchingPrecedence: 100
  rules:
  - subjects: [{kind: User, user: {name: `+user+`}}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`)
}

func testNotInForce(t *testing.T, s *alone) {
	const alert = "FlowControlConfigurationNotInForce"
	s.apply(t, `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: lost}
spec: {priorityLevelConfiguration: {name: nowhere}, matchingPrecedence: 1000}
`)
	s.prometheus.requireFires(t, alert, "kind", "FlowSchema", "state", "dangling")
	s.kubectl.Run(t, "delete", "flowschema", "lost")
	s.prometheus.requireRests(t)

	// Validation rejects this object, so it is written past the server.
	const key, invalid = "/registry/flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/broken", `{
		"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
		"metadata": {"name": "broken", "uid": "b", "creationTimestamp": "2026-01-01T00:00:00Z"},
		"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Queue"}}}}`
	client := s.etcd.Client(t)
	_, err := client.Put(t.Context(), key, invalid)
	require.NoError(t, err)
	s.prometheus.requireFires(t, alert, "kind", "PriorityLevelConfiguration", "state", "invalid")
	_, err = client.Delete(t.Context(), key)
	require.NoError(t, err)
	s.prometheus.requireRests(t)
}

// testCrowd delays etcd. Requests for one object read it from etcd, and keep their seats as
// long as that takes.
func testCrowd(t *testing.T, s *alone) {
	s.govern(t, "crowd", `{nominalConcurrencyShares: 5, borrowingLimitPercent: 0, limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 6}}}`)
	s.wire.delay.Store(int64(800 * time.Millisecond))
	stop := load(t, crowdToken, s.servers[0].URL+schemasPath+"/catch-all", 20)
	for _, name := range []string{"FlowControlEtcdSlow", "FlowControlLevelStarved", "FlowControlQueueWaitLong"} {
		s.prometheus.requireFires(t, name)
	}
	s.prometheus.requireFires(t, "FlowControlRequestsRejected", "flow_schema", "crowd", "priority_level", "crowd", "reason", "queue-full")
	stop()
	s.wire.delay.Store(0)
	s.prometheus.requireRests(t)
}

func testBorrower(t *testing.T, s *alone) {
	const limits = `, limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 100}}}`
	s.govern(t, "borrower", `{nominalConcurrencyShares: 5`+limits)
	s.wire.delay.Store(int64(300 * time.Millisecond)) // fast enough for etcd, and seats are held
	stop := load(t, borrowerToken, s.servers[0].URL+schemasPath+"/catch-all", 8)
	s.prometheus.requireFires(t, "FlowControlSeatsBorrowedForHours", "priority_level", "borrower")
	s.govern(t, "borrower", `{nominalConcurrencyShares: 300`+limits) // what docs/operations.md says
	s.prometheus.requireRests(t)
	stop()
	s.wire.delay.Store(0)
}

func testOtherStore(t *testing.T, s *alone) {
	other := s.start(t, "--etcd-prefix=/other") // without the levels of the tests before
	s.watch(t, other)
	s.prometheus.requireFires(t, "FlowControlReplicasDiffer", "job", serverJob)
	other.Stop(t)
	s.prometheus.requireFires(t, "FlowControlReplicaDown", "instance", strings.TrimPrefix(other.URL, "https://"))
	s.prometheus.requireRests(t, "FlowControlReplicasDiffer", "FlowControlServerDown")
	s.watch(t)
	s.prometheus.requireRests(t)
}

// testReverted is a client that wants other shares and claims that the server owns them.
func testReverted(t *testing.T, s *alone) {
	const wanted = `{"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}, "spec": {"limited": {"nominalConcurrencyShares": 7}}}`
	config := s.servers[0].Config(t)
	config.WarningHandler = rest.NoWarnings{} // this server advises against what the client does
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	eventually.Holds(t, "FlowControlKeepersFight fires while the level is reverted", func(a *eventually.Attempt) {
		_, err := client.FlowcontrolV1().PriorityLevelConfigurations().Patch(a.Context(), "workload-low", types.MergePatchType, []byte(wanted), metav1.PatchOptions{})
		require.NoError(a, err)
		firing, err := s.prometheus.Query(a.Context(), `ALERTS{alertname="FlowControlKeepersFight",alertstate="firing",name="workload-low"}`)
		require.NoError(a, err)
		require.NotEmpty(a, firing)
	})
	s.prometheus.requireFires(t, "FlowControlKeepersFight", "kind", "PriorityLevelConfiguration", "name", "workload-low")
	s.prometheus.requireRests(t)
}

func testAllStop(t *testing.T, s *alone) {
	for _, server := range s.servers {
		server.Stop(t)
	}
	s.prometheus.requireFires(t, "FlowControlServerDown")
	for _, server := range s.servers {
		server.Start(s.owner)
	}
	s.prometheus.requireRests(t)
}
