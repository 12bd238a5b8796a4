package registration

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

func TestBothVersionsOfAKubeAPIServerWithoutFlowControl(t *testing.T) {
	s := startOwn(t, "overlays/flow-control-off", []string{"v1", "v1beta3"},
		"--enable-priority-and-fairness=false", "--runtime-config="+group+"/v1=false")
	s.run(t, append(everywhere(),
		theme{"a server that runs and is not ready is not asked", testUnready},
	)...)
}

// testUnready takes the store of the server away.
func testUnready(t *testing.T, s *site) {
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
		cluster.Eventually(t, pod.Name()+" says why", func(ctx context.Context) error {
			health, err := s.try(ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/https:%s:%d/proxy/readyz?verbose", cluster.Namespace, pod.Name(), cluster.ServerPort))
			if err == nil && !strings.Contains(health.body, "[-]etcd failed: etcd does not answer as it should") {
				err = errors.New(health.body)
			}
			return err
		})
	}
	scale("3")
	s.Servers(t, replicas)
	s.waitAvailable(t)
	require.Equal(t, "500", s.kubectl.Run(t, "get", schemas("v1beta3"), "kept", "-o", "jsonpath={.spec.matchingPrecedence}"))
	for pod, restarts := range processes {
		require.Equal(t, restarts, pod.Restarts(), "%s was started again", pod.Name())
	}
}
