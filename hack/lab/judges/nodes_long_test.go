//go:build long

package judges

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var nodes = flag.Int("nodes", 300, "let kwok play this many nodes, with ten times as many pods")

const (
	podsOfANode = 10
	mice        = 20
	// listers is how many connections the user has who lists all pods in a loop.
	listers = 10
	// phase is how long a cluster is measured without the lists, and then with them.
	phase = time.Minute
	// late is when the renewal of a node's lease is late: kwok renews every 10 s.
	late = 15 * time.Second
)

// kwok is all nodes: their leases have the level node-high.
const kwok = "system:node:kwok"

// allowAll lets all users do everything.
const allowAll = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: users}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated"}
`

// TestThousandsOfNodes lets kwok play nodes with their pods on kube-apiserver with pkg/apf inside and with the
// library's engine, one at a time, while a user lists all pods in a loop.
func TestThousandsOfNodes(t *testing.T) {
	program := harness.Program(t, binaries.ReplacedKubeAPIServer(binaries.KubernetesVersion))
	player := harness.Program(t, binaries.Judge("kwok"))
	for _, engine := range []struct {
		name string
		env  []string
	}{{"pkg/apf", nil}, {"the library's", []string{"FLOW_CONTROL_ENGINE=library"}}} {
		t.Run(engine.name, func(t *testing.T) {
			c := newCluster(t, program, engine.env)
			c.fill(t)
			harness.StartProcess(t, harness.Command{Path: player, Args: []string{
				"--kubeconfig=" + c.KubeconfigOf(t, kwok), "--config=testdata/stages.yaml", "--manage-all-nodes", "--node-lease-duration-seconds=40", "--node-port=0", "--server-address=",
			}})
			c.settle(t)
			before := c.measure(t, 0)
			t.Logf("%s engine, alone: %s; beside lists of all pods: %s", engine.name, before, c.measure(t, listers))
		})
	}
}

// cluster is a kube-apiserver with nodes.
type cluster struct {
	*harness.KubeAPIServer
	client *kubernetes.Clientset
	target *traffic.Target
}

func newCluster(t *testing.T, program string, env []string) *cluster {
	t.Helper()
	tokens := traffic.Tokens(t, []traffic.Person{traffic.Admin(), {Name: kwok, Group: "system:nodes"}, {Name: "lister", Group: "lister"}, {Name: mouse, Group: mouse}})
	server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Program: program, Env: env, Etcd: harness.StartEtcd(t, harness.EtcdOptions{}),
		// No controller makes the accounts that pods need. The seats are for a machine of two processors.
		Args: []string{tokens, "--disable-admission-plugins=ServiceAccount", "--max-requests-inflight=16", "--max-mutating-requests-inflight=8"},
	})
	server.Kubectl(t).RunInput(t, allowAll, "apply", "-f", "-")
	target, err := traffic.NewTarget(server.Kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(server.Config(t))
	require.NoError(t, err)
	return &cluster{server, client, target}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

// fill creates the nodes and their pods.
func (c *cluster) fill(t *testing.T) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(32)
	for i := range *nodes {
		group.Go(func() error {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i)}}
			if _, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
				return err
			}
			for j := range podsOfANode {
				pod := &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d-%d", i, j)},
					Spec:       corev1.PodSpec{NodeName: nodeName(i), Containers: []corev1.Container{{Name: "main", Image: "example.invalid/main"}}},
				}
				if _, err := c.client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

// settle waits until every node has a lease and every pod runs.
func (c *cluster) settle(t *testing.T) {
	t.Helper()
	require.Empty(t, eventually.Within(t.Context(), func(a *eventually.Attempt) {
		leases, err := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		require.Len(a, leases.Items, *nodes)
		pods, err := c.client.CoreV1().Pods("").List(a.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running", ResourceVersion: "0"})
		require.NoError(a, err)
		require.Len(a, pods.Items, *nodes*podsOfANode)
	}))
}

// measure returns what there was in a phase with this many connections that list all pods.
func (c *cluster) measure(t *testing.T, lists int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), phase)
	defer cancel()
	load := traffic.Load{Flows: []traffic.Flow{{
		Name: "mice", Users: traffic.Tokened(mice, func(int) string { return mouse }), Every: time.Second, For: phase, Patience: traffic.Timeout,
		Ask: func(i int) traffic.Request { return traffic.Request{Path: "/api/v1/nodes/" + nodeName(i)} },
	}}}
	if lists > 0 {
		load.Flows = append(load.Flows, traffic.Flow{
			Name: "lists", Users: []traffic.User{{Token: "lister"}}, Threads: lists, Ask: traffic.Get("/api/v1/pods"), For: phase, Patience: traffic.Timeout,
		})
	}
	var running sync.WaitGroup
	var samples measurement.Samples
	var sending error
	running.Go(func() { samples, sending = load.Run(t.Context(), c.target) })
	gaps, err := c.renewals(ctx)
	require.NoError(t, err)
	running.Wait()
	require.NoError(t, sending)
	small, large := samples.Of("mice"), samples.Of("lists")
	tardy, longest := 0, time.Duration(0)
	for _, gap := range gaps {
		longest = max(longest, gap)
		if gap > late {
			tardy++
		}
	}
	failed, _ := small.Failed()
	return fmt.Sprintf("%d of %d renewals of leases later than %v, the latest after %v; mice: p99 %v, %d served, %d rejected, %d without an answer; lists: %d, %d rejected",
		tardy, len(gaps), late, longest.Round(time.Millisecond), small.Quantile(0.99).Round(time.Millisecond), small.Served(), small.Rejected(), failed, large.Served(), large.Rejected())
}

// renewals watches the leases until ctx ends, and returns the times between the renewals of each, and from
// the last of each to the end.
func (c *cluster) renewals(ctx context.Context) (gaps []time.Duration, err error) {
	last := map[string]time.Time{}
	list, err := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, lease := range list.Items {
		last[lease.Name] = lease.Spec.RenewTime.Time
	}
	watch, err := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return nil, err
	}
	defer watch.Stop()
	for event := range watch.ResultChan() {
		if lease, ok := event.Object.(*coordinationv1.Lease); ok {
			gaps = append(gaps, lease.Spec.RenewTime.Sub(last[lease.Name]))
			last[lease.Name] = lease.Spec.RenewTime.Time
		}
	}
	for _, renewal := range last {
		if gap := time.Since(renewal); gap > late {
			gaps = append(gaps, gap)
		}
	}
	return gaps, nil
}
