//go:build long

package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestAKubeAPIServerThatIsStartedWhileThisServerIsAway starts kube-apiserver while
// no server serves v1. kube-apiserver does not report itself live before v1 is
// available. It still answers requests, and does not prevent this server from
// starting.
func TestAKubeAPIServerThatIsStartedWhileThisServerIsAway(t *testing.T) {
	s := startShared(t, cluster.Options{})
	s.takeV1(t)
	back := s.leave(t)
	s.restartKubeAPIServer(t)
	s.waitAnswering(t)
	live := s.get(t, "/livez?verbose")
	require.Equal(t, http.StatusInternalServerError, live.Code)
	require.Contains(t, live.Body, "[-]autoregister-completion failed")
	back()
	s.waitBoth(t)
}
