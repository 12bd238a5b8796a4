package rotation

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// cutOff is of kube-apiserver's answer to a write that was on its way when the
// replica closed the connection. kube-apiserver sends reads again, and of a write
// it has not kept the body: https://github.com/kubernetes/kubernetes/issues/135285.
const cutOff = "graceful shutdown GOAWAY] after Request.Body was written"

// testRollout replaces all pods, as kubectl rollout restart does.
func testRollout(t *testing.T, s *site, l *load) {
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

// testEtcdLoss takes etcd away from the server, and not from kube-apiserver.
func testEtcdLoss(t *testing.T, s *site) {
	pods := s.Servers(t, replicas)
	processes := map[string]int{}
	for _, pod := range pods {
		processes[pod.Name()] = pod.Process().PID()
	}
	s.wire.cut()
	s.waitReady(t, pods, false)
	for _, pod := range pods {
		code, err := request(t.Context(), s.to(t, pod, nil), http.MethodGet, "https://"+cluster.ServerName+"/livez", "")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, code, "a restart would not help")
	}
	s.kubectl.Run(t, "wait", "apiservice/v1beta3.flowcontrol.apiserver.k8s.io", "--for=condition=Available=False", "--timeout=2m")

	s.wire.mend(t)
	s.waitReady(t, pods, true)
	for _, pod := range pods {
		require.Zero(t, pod.Restarts())
		require.Equal(t, processes[pod.Name()], pod.Process().PID())
	}
	s.WaitAPIService(t, "v1beta3.flowcontrol.apiserver.k8s.io")
	client := s.aggregated(t, nil)
	s.waitCode(t, "the API is back", http.StatusOK, func(ctx context.Context) (int, error) {
		return request(ctx, client, http.MethodGet, s.KubeAPIServer.URL+objectsPath, s.Config(t).BearerToken)
	})
}

// waitReady waits until the readiness probes of all pods are answered so.
func (s *site) waitReady(t *testing.T, pods []*cluster.Pod, ready bool) {
	t.Helper()
	cluster.Eventually(t, fmt.Sprintf("readiness is %t", ready), func(context.Context) error {
		for _, pod := range pods {
			if pod.Ready() != ready {
				return fmt.Errorf("that of %s is not", pod.Name())
			}
		}
		return nil
	})
}
