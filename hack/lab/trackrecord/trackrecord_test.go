package trackrecord

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var update = flag.Bool("update-track-record", false, "write docs/evidence/track-record.md")

// page is the page of the table, from the top of the repository.
const page = "docs/evidence/track-record.md"

// TestTrackRecord runs each case on both engines.
func TestTrackRecord(t *testing.T) {
	table := "| report | year | what was reported | peer | this project |\n|---|---|---|---|---|\n"
	for _, c := range cases() {
		t.Run(c.name(), func(t *testing.T) {
			peer, ours := c.run(t)
			assert.Equal(t, c.Plant == nil, peer.Harmed, "on the peer: %s", peer.Measured)
			assert.False(t, ours.Harmed, "on this project: %s", ours.Measured)
			t.Logf("%s\n%s\npeer: %s\nthis project: %s", c.Does, c.Measures, peer.Measured, ours.Measured)
			table += c.row() + peer.Measured + " | " + ours.Measured + " |\n"
		})
	}
	if *update && !t.Failed() {
		require.NoError(t, measurement.Publish("make track-record", "track-record", page, table))
	}
}

// run runs the case on both engines.
func (c Case) run(t *testing.T) (peer, ours Outcome) {
	t.Helper()
	runOn(t, true, c.Setup, func(s *Site) { peer = c.Run(s) })
	runOn(t, false, c.Setup, func(s *Site) { ours = c.Run(s) })
	return peer, ours
}

// TestHarmIsSeen plants the harm of the cases that harm nobody.
func TestHarmIsSeen(t *testing.T) {
	for _, c := range cases() {
		if c.Plant == nil {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			c.Plant(&c.Setup)
			peer, ours := c.run(t)
			assert.True(t, peer.Harmed, "on the peer: %s", peer.Measured)
			assert.True(t, ours.Harmed, "on this project: %s", ours.Measured)
		})
	}
}

func TestPageHasEveryCase(t *testing.T) {
	text, err := os.ReadFile(harness.Path(t, page))
	require.NoError(t, err)
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| [") {
			rows = append(rows, line)
		}
	}
	require.Len(t, rows, len(cases()), "run make track-record")
	for i, c := range cases() {
		assert.True(t, strings.HasPrefix(rows[i], c.row()), "%s: run make track-record", c.name())
	}
}
