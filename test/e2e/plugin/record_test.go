package plugin

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// recorded is the user whose requests are recorded, and the names of their flow schema and
// level, which has one seat.
const recorded = "recorded"

// recordedRights let all users do everything.
const recordedRights = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: recorded}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
- {nonResourceURLs: ["*"], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: recorded}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: recorded}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated"}]
`

// rightsFlag makes a server grant them.
func rightsFlag(t *testing.T) string {
	t.Helper()
	rights := filepath.Join(t.TempDir(), "rights.yaml")
	require.NoError(t, os.WriteFile(rights, []byte(recordedRights), 0o600))
	return "--authorization-rbac-file=" + rights
}

// unknownReason is what a trace says of a rejection whose reason its log does not tell.
const unknownReason = "unknown"

// tracedRequest has the fields of a line of a trace that the tests compare.
type tracedRequest struct {
	User, Verb, Resource, Name, Path    string
	FlowSchema, PriorityLevel, Rejected string
	Groups                              []string
	Status                              int
	Execution                           *metav1.Duration
	List                                *struct {
		Limit         int64
		LabelSelector string
	}
	Seats *struct{ Initial uint64 }
}

// recordedFormats are the formats of a server's lines.
func recordedFormats() []string { return []string{"text", "json"} }

// recordingFlags make a server log its requests in an audit log, and by lines of -v=3.
func recordingFlags(t *testing.T, format string) (auditLog string, flags []string) {
	t.Helper()
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"), 0o600))
	auditLog = filepath.Join(dir, "audit.log")
	return auditLog, []string{
		"--v=3", "--logging-format=" + format, "--audit-policy-file=" + policy, "--audit-log-path=" + auditLog,
		"--max-requests-inflight=20", "--max-mutating-requests-inflight=10", // one seat is the level's
	}
}

// TestRecordOfThisServer makes traces of the logs of a server, which starts once for each
// format of its lines: two seconds each.
func TestRecordOfThisServer(t *testing.T) {
	for _, format := range recordedFormats() {
		t.Run(format, func(t *testing.T) {
			auditLog, flags := recordingFlags(t, format)
			server := harness.StartServer(t, harness.ServerOptions{Args: append(flags, rightsFlag(t))})
			checkRecord(t, &server.APIServer, auditLog, true)
		})
	}
}

// checkRecord sends requests to a server, and looks for each of them in the traces of its
// logs. governed says that its audit log tells of flow control.
func checkRecord(t *testing.T, server *harness.APIServer, auditLog string, governed bool) {
	t.Helper()
	harness.Program(t, binaries.Plugin)
	c := newRecordedClient(t, server)
	c.sendAll(t)
	lines := filepath.Join(t.TempDir(), "lines.log")
	eventually.Holds(t, "both logs have all requests", func(a *eventually.Attempt) {
		audit, err := os.ReadFile(auditLog)
		require.NoError(a, err)
		output := server.Process.Output()
		for _, asked := range []string{"asked-get", "asked-list", "asked-watch", "asked-rejected", "asked-path", "asked-held"} {
			require.Contains(a, string(audit), asked)
			require.Contains(a, output, asked)
		}
		require.NoError(a, os.WriteFile(lines, []byte(output), 0o600))
	})

	reason := unknownReason
	if governed {
		reason = "concurrency-limit"
	}
	t.Run("audit log", func(t *testing.T) {
		got := c.record(t, "--audit-log="+auditLog)
		assert.Equal(t, reason, got["asked-rejected"].Rejected)
		for name, r := range got {
			assert.Equal(t, recorded, r.User, name)
			assert.Contains(t, r.Groups, "team", name)
			assert.Equal(t, governed, r.PriorityLevel != "", "%s: %s", name, r.PriorityLevel)
		}
	})
	t.Run("lines", func(t *testing.T) {
		got := c.record(t, "--http-log="+lines)
		checkSeats(t, got)
		assert.Equal(t, unknownReason, got["asked-rejected"].Rejected)
	})
	t.Run("both", func(t *testing.T) {
		got := c.record(t, "--audit-log="+auditLog, "--http-log="+lines)
		checkSeats(t, got)
		assert.Equal(t, reason, got["asked-rejected"].Rejected)
		for name, r := range got {
			assert.Equal(t, recorded, r.User, name)
		}
	})
}

// record makes a trace, and returns the requests that sendAll sent. Each must be there
// once, with what every log tells.
func (c *recordedClient) record(t *testing.T, logs ...string) map[string]*tracedRequest {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recorded.trace")
	c.Kubectl(t).Run(t, append([]string{"apf", "record", "-o", file}, logs...)...)
	content, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = content.Close() }() // it was only read
	in := json.NewDecoder(content)
	require.NoError(t, in.Decode(&struct{}{}), "the header")
	got := map[string]*tracedRequest{}
	for {
		r := &tracedRequest{}
		if err := in.Decode(r); err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		if name := askedName(r); name != "" {
			require.NotContains(t, got, name, "a request is there once")
			got[name] = r
		}
	}
	type facts struct {
		verb     string
		status   int
		rejected bool
	}
	told := map[string]facts{}
	for name, r := range got {
		told[name] = facts{r.Verb, r.Status, r.Rejected != ""}
	}
	require.Equal(t, map[string]facts{
		"asked-get":      {"get", http.StatusNotFound, false},
		"asked-list":     {"list", http.StatusOK, false},
		"asked-watch":    {"watch", http.StatusOK, false},
		"asked-path":     {"get", http.StatusNotFound, false},
		"asked-held":     {"create", http.StatusCreated, false},
		"asked-rejected": {"get", http.StatusTooManyRequests, true},
	}, told)
	assert.Equal(t, int64(3), got["asked-list"].List.Limit)
	return got
}

// askedName returns sendAll's mark of a request; "" if it sent another one.
func askedName(r *tracedRequest) string {
	switch {
	case r.Resource == "prioritylevelconfigurations" && r.Verb == "create" && (r.User == recorded || r.FlowSchema == recorded):
		return "asked-held"
	case r.List != nil && strings.HasPrefix(r.List.LabelSelector, "asked-"):
		return r.List.LabelSelector
	case strings.HasPrefix(r.Name+r.Path, "asked-"), strings.HasPrefix(r.Path, "/asked-"):
		return strings.TrimPrefix(r.Name+r.Path, "/")
	default:
		return ""
	}
}

// checkSeats compares what lines tell of flow control.
func checkSeats(t *testing.T, got map[string]*tracedRequest) {
	t.Helper()
	for name, r := range got {
		assert.Equal(t, recorded, r.FlowSchema, name)
		assert.Equal(t, recorded, r.PriorityLevel, name)
		assert.Equal(t, r.Rejected == "", r.Execution != nil, name)
		if assert.NotNil(t, r.Seats, name) {
			assert.Equal(t, uint64(1), r.Seats.Initial, name)
		}
	}
}
