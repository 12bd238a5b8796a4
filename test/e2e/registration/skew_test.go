//go:build long

package registration

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestANewerKubeAPIServerInFront uses a kube-apiserver three minor releases ahead
// of this server, its client libraries and kubectl.
func TestANewerKubeAPIServerInFront(t *testing.T) {
	newer, err := binaries.NextKubeAPIServer(t.Context())
	require.NoError(t, err)
	s := startShared(t, newer)
	require.Contains(t, s.get(t, "/version").Body, binaries.NextKubernetesVersion)
	s.run(t, append(everywhere()[:3],
		theme{"who is not known is asked about", testDelegation},
		theme{"nothing is forbidden that the server does", testNothingForbidden},
	)...)
}

// testDelegation sends requests directly to a replica: with an unknown token, as a
// service account without permissions, and as one that may list schemas.
func testDelegation(t *testing.T, s *site) {
	reader := s.makeReader(t)
	s.kubectl.Run(t, "create", "serviceaccount", "stranger")
	stranger := "Authorization: Bearer " + s.kubectl.Run(t, "create", "token", "stranger")
	client, url := s.unverified(t), "https://"+s.Servers(t, replicas)[0].Address(cluster.ServerPort)+path("v1beta3", "")
	for header, code := range map[string]int{
		"Authorization: Bearer none": http.StatusUnauthorized, stranger: http.StatusForbidden, reader: http.StatusOK,
	} {
		eventually.Holds(t, fmt.Sprintf("the answer is %d", code), func(a *eventually.Attempt) {
			require.Equal(a, code, get(a, client, url, header).Code)
		})
	}
}

// makeReader creates a service account that may list schemas, and returns its
// Authorization header.
func (s *site) makeReader(t *testing.T) string {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", "reader")
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=list", "--resource=flowschemas."+group)
	s.kubectl.Run(t, "create", "clusterrolebinding", "reader", "--clusterrole=reader", "--serviceaccount=default:reader")
	return "Authorization: Bearer " + s.kubectl.Run(t, "create", "token", "reader")
}
