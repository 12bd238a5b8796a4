package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// cutOff is part of kube-apiserver's answer to a write that was in flight when the
// replica closed the connection. kube-apiserver retries reads. It cannot retry a
// write, because it has not kept the body:
// https://github.com/kubernetes/kubernetes/issues/135285.
const cutOff = "graceful shutdown GOAWAY] after Request.Body was written"

// testRollout replaces all pods, as kubectl rollout restart does.
func testRollout(t *testing.T, s *besideSite, l *load) {
	l.relayed.allow(cutOff)
	before := map[string]bool{}
	for _, pod := range s.Servers(t, replicas) {
		before[pod.Name()] = true
	}
	s.kubectl.Run(t, "-n", cluster.Namespace, "rollout", "restart", "deployment/"+cluster.Deployment)
	s.WaitRollout(t)
	for _, pod := range s.Servers(t, replicas) { // once the old ones have ended
		require.NotContains(t, before, pod.Name())
		require.Zero(t, pod.Restarts())
	}
}

// testEtcdLoss cuts the server's connection to etcd, not kube-apiserver's.
func testEtcdLoss(t *testing.T, s *besideSite) {
	require.Equal(t, http.StatusCreated, send(t, s.Config(t), http.MethodPost, objectsPath, flowSchema("kept", 500)).Code)
	pods := s.Servers(t, replicas)
	processes := map[string]int{}
	for _, pod := range pods {
		processes[pod.Name()] = pod.Process().PID()
	}
	s.wire.cut()
	s.waitSays(t, "v1beta3", noEndpoints)
	for _, pod := range pods {
		require.False(t, pod.Ready())
		live := send(t, s.to(t, pod).config, http.MethodGet, "/livez", "")
		require.Equal(t, http.StatusOK, live.Code, "a restart would not help: %s", live.Body)
	}
	ready := send(t, s.to(t, pods[0]).config, http.MethodGet, "/readyz?verbose", "")
	require.Contains(t, ready.Body, "[-]etcd failed: etcd does not respond as it should")

	s.wire.mend(t)
	for _, pod := range s.Servers(t, replicas) {
		require.Zero(t, pod.Restarts())
		require.Equal(t, processes[pod.Name()], pod.Process().PID())
	}
	s.serves(t, objectsPath+"/kept")
}
