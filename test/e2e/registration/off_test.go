package registration

import "testing"

func TestBothVersionsOfAKubeAPIServerWithoutFlowControl(t *testing.T) {
	s := startWithoutFlowControl(t)
	s.run(t, append(everywhere(),
		theme{"while this server is away it is said so, and the rest of the cluster goes on", func(t *testing.T, s *site) {
			t.Helper()
			testAway(t, s, func(*testing.T, *site) {})
		}},
	)...)
}

func startWithoutFlowControl(t *testing.T) *site {
	t.Helper()
	return startOwn(t, "overlays/flow-control-off", []string{"v1beta3", "v1"},
		"--enable-priority-and-fairness=false", "--runtime-config="+group+"/v1=false")
}
