//go:build long

package artifacts

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestMemberThatLostItsVolumeComesBack takes a member's volume away, replaces the member
// as docs/troubleshooting.md says, and then relies on it for the quorum.
func TestMemberThatLostItsVolumeComesBack(t *testing.T) {
	const lost, set = "flowcontrol-etcd-1", "flowcontrol-etcd"
	var members []string
	for i := range 3 {
		members = append(members, fmt.Sprintf("%s-%d.%[1]s.%[3]s.svc", set, i, cluster.Namespace))
	}
	c := cluster.Start(t, cluster.Options{Topology: cluster.OwnEtcd, Hosts: members})
	kubectl := c.Kubectl(t)
	root, err := binaries.Root()
	require.NoError(t, err)
	for name, says := range map[string]string{
		"etcd-1": "etcd-1 is no member of StatefulSet flowcontrol-system/flowcontrol-etcd",
		lost:     "flowcontrol-etcd-1 was not replaced", // it answers
	} {
		code, output := harness.RunScript(t, c.KubeAPIServer.Kubeconfig, filepath.Join(root, "artifacts", "replace-etcd-member.sh"), name)
		require.NotZero(t, code)
		require.Contains(t, output, says)
	}

	kubectl.Run(t, "-n", cluster.Namespace, "delete", "pvc", "data-"+lost, "--wait=false")
	kubectl.Run(t, "-n", cluster.Namespace, "delete", "pod", lost)
	eventually.Holds(t, "the member does not start without its data", func(a *eventually.Attempt) {
		for _, pod := range c.Node.Pods(cluster.EtcdPods) {
			if pod.Name() == lost {
				require.Contains(a, pod.Process().Output(), "has already been bootstrapped")
				return
			}
		}
		require.Fail(a, "the pod does not run")
	})

	run(t, c, "docs/troubleshooting.md", "## A member of own-etcd lost its volume")
	kubectl.Run(t, "-n", cluster.Namespace, "rollout", "status", "statefulset/"+set, "--timeout=2m")
	c.Node.WaitReady(t, cluster.EtcdPods, 3)

	release := c.Node.Hold("statefulset.kubernetes.io/pod-name=" + set + "-2")
	defer release()
	pods := c.Node.Pods(cluster.EtcdPods)
	require.Len(t, pods, 3)
	pods[2].Process().Kill(t)
	// Asked directly: behind the proxy of the simulated network, a gRPC client takes all
	// members for one address, and may have chosen the one that is killed.
	for _, pod := range pods[:2] {
		eventually.Holds(t, pod.Name()+" is one of a quorum of two", func(a *eventually.Attempt) {
			request, err := http.NewRequestWithContext(a.Context(), http.MethodGet, "http://"+pod.Address(2381)+"/readyz", nil)
			require.NoError(a, err)
			response, err := http.DefaultClient.Do(request)
			require.NoError(a, err)
			defer func() { _ = response.Body.Close() }()
			require.Equal(a, http.StatusOK, response.StatusCode, "it includes a linearizable read")
		})
	}
}
