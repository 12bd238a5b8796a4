package registration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestV1beta3BesideTheNativeV1(t *testing.T) {
	s := startShared(t, "")
	s.run(t, append(everywhere(),
		theme{"while this server is away v1 goes on", testNativeGoesOn},
	)...)
}

// testNativeGoesOn also takes the registration back, which frees what waits for
// this server.
func testNativeGoesOn(t *testing.T, s *site) {
	s.kubectl.Run(t, "create", "namespace", "elsewhere")
	back := s.leave(t)
	s.kubectl.RunInput(t, manifest("v1", "meanwhile"), "apply", "-f", "-")
	s.wait(t, "flowschema/meanwhile", "--for=condition=Dangling=False")
	s.waitStale(t)
	s.kubectl.Run(t, "delete", "namespace", "elsewhere", "--wait=false")
	s.wait(t, "namespace/elsewhere", "--for=condition=NamespaceDeletionDiscoveryFailure")

	s.kubectl.Run(t, "delete", "apiservice", apiService("v1beta3"))
	s.wait(t, "namespace/elsewhere", "--for=delete")

	s.Apply(t, "overlays/v1beta3-beside")
	s.MakeCertificates(t)
	back()
	require.Equal(t, "500", s.kubectl.Run(t, "get", schemas("v1beta3"), "meanwhile", "-o", "jsonpath={.spec.matchingPrecedence}"))
}
