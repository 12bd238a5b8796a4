//go:build long

package registration

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAKubeAPIServerThatIsStartedWhileThisServerIsAway starts kube-apiserver while it
// knows that nobody serves v1. It does not call itself live then before v1 is
// available, answers nonetheless, and does not keep this server away.
func TestAKubeAPIServerThatIsStartedWhileThisServerIsAway(t *testing.T) {
	s := startShared(t, "")
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
