package command

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// readTrace reads a trace in the working directory.
func readTrace(t *testing.T, name string) (trace.Header, []trace.Request) {
	t.Helper()
	f, err := trace.Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // only read
	var all []trace.Request
	for {
		var one trace.Request
		err := f.Read(&one)
		if errors.Is(err, io.EOF) {
			return f.Header(), all
		}
		require.NoError(t, err)
		all = append(all, one)
	}
}

func TestRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "audit.log", auditEvent)
	got := run(t, "record", "--audit-log=a=audit.log", "-o", "a.trace")
	require.Zero(t, got.status, got.errOut)
	h, all := readTrace(t, "a.trace")
	assert.Equal(t, []string{"a"}, h.Replicas)
	require.Len(t, all, 1)
	assert.Equal(t, "robot", all[0].User)
	assert.True(t, strings.HasPrefix(got.out, "a.trace: 1 requests from 2026-05-06T07:08:00Z to 2026-05-06T07:08:00Z\nNote: An audit log has no requests that its policy drops."), got.out)
}

func TestTheClockOfALogMayBeAhead(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "http.log", `I0506 08:00:00.000000 1 httplog.go:134] "HTTP" verb="GET" URI="/readyz" latency="1ms" apf_pl="exempt" apf_fs="probes" apf_execution_time="1ms" resp=200`+"\n")
	got := run(t, "record", "--http-log=http.log", "-o", "http.trace")
	require.Zero(t, got.status, got.errOut)
	_, all := readTrace(t, "http.trace")
	require.Len(t, all, 1)
	assert.Equal(t, 2026, all[0].Arrival.Year())
}

func TestTracesThatCannotBeMade(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "audit.log", auditEvent)
	write(t, "empty.log", "")
	write(t, "mine", "mine")
	invoke(t, []invocation{
		{"no log", []string{"record", "-o", "new"}, statusFailed, []string{"--audit-log or --http-log is required"}},
		{"no file", []string{"record", "--audit-log=audit.log"}, statusFailed, []string{"-o is required: the file of the trace"}},
		{"a file that exists", []string{"record", "--audit-log=audit.log", "-o", "mine"}, statusFailed, []string{"mine: file already exists: remove it, or name another"}},
		{"a log that is empty", []string{"record", "--audit-log=empty.log", "-o", "new"}, statusFailed, []string{"empty.log: no event of the stage ResponseComplete"}},
		{"a log that does not exist", []string{"record", "--http-log=missing", "-o", "new"}, statusFailed, []string{"missing: no such file or directory"}},
		{"an unnamed log", []string{"record", "--http-log=a=", "-o", "new"}, statusFailed, []string{`the log "a=" must be PATH or REPLICA=PATH`}},
		{"a time zone that is none", []string{"record", "--audit-log=audit.log", "--log-time-zone=Mars", "-o", "new"}, statusFailed, []string{`--log-time-zone is "Mars": must be a time zone`}},
	})
	text, err := os.ReadFile("mine")
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text), "nothing is overwritten")
	assert.NoFileExists(t, "new")
}
