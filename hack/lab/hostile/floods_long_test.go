//go:build long

package hostile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloodsOfUnknownClientsDoNotRejectUsers sends small floods to a server behind a
// kube-apiserver. Each user's question is a new one there. It takes ten seconds.
func TestFloodsOfUnknownClientsDoNotRejectUsers(t *testing.T) {
	ours, _, err := StartBehind(t)
	require.NoError(t, err)
	for i, flood := range Floods() {
		t.Run(flood.Name, func(t *testing.T) {
			reading, tally, err := Under(t, i, ours, 100, 20)
			require.NoError(t, err)
			require.Len(t, reading.Latencies, 20)
			require.Empty(t, unexpected(tally, "401", "403", "429", cutOff))
		})
	}
}

// unexpected returns the answers that are none of those expected.
func unexpected(tally *Tally, expected ...string) map[string]int {
	counts := tally.Counts()
	for _, answer := range expected {
		delete(counts, answer)
	}
	return counts
}
