package trackrecord

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update-track-record", false, "write docs/evidence/track-record.md")
	number = flag.Int("case", 0, "run only the case of this number, and write only its section")
)

// result is what a case did on both engines.
type result struct {
	Case
	peer, ours         Outcome
	peerSeen, oursSeen string
	// servers are the outcomes on kube-apiserver and on this project's server; nil in the
	// short lane, and of cases that have none.
	servers []Outcome
}

// TestTrackRecord runs the cases.
func TestTrackRecord(t *testing.T) {
	var results []result
	for _, c := range cases() {
		if *number != 0 && c.Number != *number {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			r := reproduce(t, c)
			assert.Equal(t, c.PeerHarmed, r.peer.Harmed, "on the peer: %s", r.peer.Measured)
			assert.False(t, r.ours.Harmed, "on this project: %s", r.ours.Measured)
			t.Logf("%s\n%s\npeer: %s\n%s\nthis project: %s\n%s\n%s", r.Does, r.Measures, r.peer.Measured, r.peerSeen, r.ours.Measured, r.oursSeen, r.Look.Notes)
			if c.OnServers != nil {
				r.servers = onServers(t, c)
			}
			results = append(results, r)
		})
	}
	require.NotEmpty(t, results, "no case has the number %d", *number)
	if *update {
		updatePage(t, results, *number == 0)
	}
}

// reproduce runs a case on both engines.
func reproduce(t *testing.T, c Case) result {
	t.Helper()
	r := result{Case: c}
	runOn(t, true, c.Setup, func(s *Site) { r.peer, r.peerSeen = c.Run(s), s.seen(c.Look) })
	runOn(t, false, c.Setup, func(s *Site) { r.ours, r.oursSeen = c.Run(s), s.seen(c.Look) })
	return r
}

// TestHarmIsSeen plants the harm of the cases that harm nobody.
func TestHarmIsSeen(t *testing.T) {
	for _, c := range cases() {
		if c.PeerHarmed {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			require.NotNil(t, c.Plant, "say how the setup would do the reported harm")
			c.Plant(&c.Setup)
			r := reproduce(t, c)
			assert.True(t, r.peer.Harmed, "on the peer: %s", r.peer.Measured)
			assert.True(t, r.ours.Harmed, "on this project: %s", r.ours.Measured)
		})
	}
}

// Names are the anchors of the page, so each case needs one of its own.
func TestEveryCaseIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases() {
		assert.False(t, seen[c.name()], "%s comes twice", c.name())
		seen[c.name()] = true
		for _, text := range []string{c.Repository, c.Says, c.Does, c.Measures} {
			assert.NotEmpty(t, text, c.name())
		}
		assert.NotEmpty(t, c.Look.Metrics, "%s: an operator looks at metrics first", c.name())
		assert.GreaterOrEqual(t, c.Year, 2015, c.name())
	}
}
