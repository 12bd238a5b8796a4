package registration

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestANewerKubeAPIServerInFront has one three minor releases ahead, while this
// server, its client libraries and kubectl stay.
func TestANewerKubeAPIServerInFront(t *testing.T) {
	newer, err := binaries.NextKubeAPIServer(t.Context())
	require.NoError(t, err)
	s := startShared(t, newer)
	require.Contains(t, s.get(t, "/version").body, binaries.NextKubernetesVersion)
	s.run(t, append(everywhere()[:3],
		theme{"who is not known is asked about", testDelegation},
		theme{"nothing is forbidden that the server does", testNothingForbidden},
	)...)
}

// testDelegation asks a replica directly: as nobody it knows, as one of the
// cluster who may not read, and as one who may.
func testDelegation(t *testing.T, s *site) {
	reader := s.makeReader(t)
	s.kubectl.Run(t, "create", "serviceaccount", "stranger")
	stranger := "Authorization: Bearer " + s.kubectl.Run(t, "create", "token", "stranger")
	url := "https://" + s.Servers(t, replicas)[0].Address(7443) + path("v1beta3", "")
	for header, code := range map[string]int{
		"Authorization: Bearer none": http.StatusUnauthorized, stranger: http.StatusForbidden, reader: http.StatusOK,
	} {
		waitCode(t, url, code, header)
	}
}

// makeReader makes a service account that may list schemas, and returns the
// header by which it is known.
func (s *site) makeReader(t *testing.T) string {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", "reader")
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=list", "--resource=flowschemas."+group)
	s.kubectl.Run(t, "create", "clusterrolebinding", "reader", "--clusterrole=reader", "--serviceaccount=default:reader")
	return "Authorization: Bearer " + s.kubectl.Run(t, "create", "token", "reader")
}

// testNothingForbidden reads what the servers have said so far.
func testNothingForbidden(t *testing.T, s *site) {
	for _, pod := range s.Node.Pods(cluster.ServerPods) {
		for line := range strings.Lines(pod.Process().Output()) {
			require.NotContains(t, line, "forbidden")
		}
	}
}
