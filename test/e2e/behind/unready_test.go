//go:build long

package behind

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestAServerThatRunsAndIsNotReadyIsNotAsked stops the server's etcd. In package
// beside that etcd is the cluster's; here it is the one of the manifests. After
// its restart the data is still there.
func TestAServerThatRunsAndIsNotReadyIsNotAsked(t *testing.T) {
	s := startWithoutFlowControl(t)
	scale := func(replicas string) {
		t.Helper()
		s.kubectl.Run(t, "-n", cluster.Namespace, "scale", "statefulset/flowcontrol-etcd", "--replicas="+replicas)
	}
	s.kubectl.RunInput(t, manifest("v1", "kept"), "apply", "-f", "-")
	processes := map[*cluster.Pod]int32{}
	for _, pod := range s.Servers(t, replicas) {
		processes[pod] = pod.Restarts()
	}
	scale("0")
	for _, version := range s.ours {
		s.waitSays(t, version, noEndpoints)
	}
	for pod := range processes {
		path := fmt.Sprintf("/api/v1/namespaces/%s/pods/https:%s:%d/proxy/readyz?verbose", cluster.Namespace, pod.Name(), cluster.ServerPort)
		eventually.Holds(t, pod.Name()+" says why", func(a *eventually.Attempt) {
			require.Contains(a, s.get(a, path).Body, "[-]etcd failed: etcd does not respond as it should")
		})
	}
	scale("3")
	s.Servers(t, replicas)
	s.waitAvailable(t)
	require.Equal(t, "500", s.kubectl.Run(t, "get", qualified("v1beta3"), "kept", "-o", "jsonpath={.spec.matchingPrecedence}"))
	for pod, restarts := range processes {
		require.Equal(t, restarts, pod.Restarts(), "%s was started again", pod.Name())
	}
}
