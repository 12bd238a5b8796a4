package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// block returns the block of docs/simulate.md that begins so.
func block(t *testing.T, begins string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "simulate.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), begins)
	require.True(t, found, begins)
	rest, _, _ = strings.Cut(rest, "```")
	return rest
}

func TestTraceOfTheDocument(t *testing.T) {
	r, err := trace.NewReader("docs/simulate.md", strings.NewReader(block(t, "```json\n")))
	require.NoError(t, err)
	var one trace.Request
	require.NoError(t, r.Read(&one))
	assert.Equal(t, "alice", one.User)
}

func TestOutputOfTheDocument(t *testing.T) {
	o := options()
	o.Audit, o.HTTP = []Log{{Path: auditLogs}}, []Log{{Path: httpLogs}}
	h, _ := recorded(t, o)
	const layout = "2006-01-02T15:04:05Z"
	shown := block(t, "```\nrecorded.trace.gz: ")
	assert.Equal(t, "124 requests from "+h.Start.Format(layout)+" to "+h.End.Format(layout)+"\nNote: "+h.LeftOut.Notes[0]+"\n", shown)
}
