//go:build long

package trackrecord

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// onServers runs a case on a kube-apiserver 1.33 and on this project's server.
func onServers(t *testing.T, c Case) []Outcome {
	t.Helper()
	peer := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: harness.StartEtcd(t, harness.EtcdOptions{})})
	ours := harness.StartServer(t, harness.ServerOptions{})
	outcomes := []Outcome{c.OnServers(t, &peer.APIServer), c.OnServers(t, &ours.APIServer)}
	assert.Equal(t, c.PeerHarmed, outcomes[0].Harmed, "on kube-apiserver: %s", outcomes[0].Measured)
	assert.False(t, outcomes[1].Harmed, "on this server: %s", outcomes[1].Measured)
	t.Logf("kube-apiserver: %s\nthis server: %s", outcomes[0].Measured, outcomes[1].Measured)
	return outcomes
}
