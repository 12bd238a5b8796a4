package registration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
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
	return startOwn(t, "overlays/flow-control-off", []string{"v1beta3", "v1"},
		"--enable-priority-and-fairness=false", "--runtime-config="+group+"/v1=false")
}

// changed is a suggested object, which kube-apiserver does not restore here.
const changed = "probes"

// changeBuiltIn changes what the server restores within a minute, or when it starts.
func changeBuiltIn(t *testing.T, s *site) {
	s.kubectl.Run(t, "patch", qualified("v1"), changed, "--type=merge", "-p",
		`{"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}, "spec": {"matchingPrecedence": 77}}`)
}

// testDescribed waits for the Event at the real kube-apiserver, in a real kubectl.
func testDescribed(t *testing.T, s *site) {
	eventually.Holds(t, "the Event is shown", func(a *eventually.Attempt) {
		require.Regexp(a, `Warning +Restored +\S+ .*flowcontrol-apiserver +The spec of this built-in object was not that of this release`,
			s.kubectl.Run(t, "describe", qualified("v1"), changed))
	})
}
