package trackrecord

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update-track-record", false, "write docs/evidence/track-record.md")
	number = flag.Int("case", 0, "run only the case of this number, and write only its row")
)

// result is what a case did on both engines.
type result struct {
	Case
	peer, ours Outcome
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
			assert.Equal(t, c.Plant == nil, r.peer.Harmed, "on the peer: %s", r.peer.Measured)
			assert.False(t, r.ours.Harmed, "on this project: %s", r.ours.Measured)
			t.Logf("%s\n%s\npeer: %s\nthis project: %s", r.Does, r.Measures, r.peer.Measured, r.ours.Measured)
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
	runOn(t, true, c.Setup, func(s *Site) { r.peer = c.Run(s) })
	runOn(t, false, c.Setup, func(s *Site) { r.ours = c.Run(s) })
	return r
}

// TestHarmIsSeen plants the harm of the cases that harm nobody.
func TestHarmIsSeen(t *testing.T) {
	for _, c := range cases() {
		if c.Plant == nil {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			c.Plant(&c.Setup)
			r := reproduce(t, c)
			assert.True(t, r.peer.Harmed, "on the peer: %s", r.peer.Measured)
			assert.True(t, r.ours.Harmed, "on this project: %s", r.ours.Measured)
		})
	}
}
