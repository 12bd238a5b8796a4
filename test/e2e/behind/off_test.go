package behind

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

func TestBothVersionsOfAKubeAPIServerWithoutFlowControl(t *testing.T) {
	s := startWithoutFlowControl(t)
	s.run(t, append(everywhere(),
		theme{"a built-in object is changed", changeBuiltIn},
		theme{"while this server is away it is said so, and the rest of the cluster goes on", func(t *testing.T, s *site) {
			t.Helper()
			testAway(t, s, func(*testing.T, *site) {})
		}},
		theme{"kubectl describe shows what the server undid", testDescribed},
		theme{"nothing is forbidden that the server does", testNothingForbidden},
	)...)
}

func startWithoutFlowControl(t *testing.T) *site {
	t.Helper()
	return siteOf(t, cluster.Start(t, cluster.Options{Topology: cluster.InPlace}), "v1beta3", "v1")
}

// changed is a suggested object, which kube-apiserver does not restore here.
const changed = "probes"

// changeBuiltIn changes what the server restores within a minute, or when it starts.
func changeBuiltIn(t *testing.T, s *site) {
	s.kubectl.Run(t, "patch", qualified("v1"), changed, "--type=merge", "-p",
		`{"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}, "spec": {"matchingPrecedence": 77}}`)
}

// testDescribed waits for the Event at the real kube-apiserver, and shows it with kubectl.
func testDescribed(t *testing.T, s *site) {
	s.waitEvent(t, "FlowSchema", changed, "Restored", 1)
	require.Regexp(t, `Warning +Restored +\S+ .*flowcontrol-apiserver +The spec of this built-in object differed from this release`,
		s.kubectl.Run(t, "describe", qualified("v1"), changed))
}

// waitEvent waits for an Event of this server, one of each of at most this number of writers.
func (s *site) waitEvent(t *testing.T, kind, name, reason string, writers int) {
	t.Helper()
	eventually.Holds(t, "the Event is there", func(a *eventually.Attempt) {
		found, err := s.Client.CoreV1().Events("default").List(a.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name + ",reason=" + reason + ",source=flowcontrol-apiserver",
		})
		require.NoError(a, err)
		require.NotEmpty(a, found.Items)
		require.LessOrEqual(a, len(found.Items), writers)
	})
}
