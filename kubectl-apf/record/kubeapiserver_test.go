package record

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Logs of kube-apiserver 1.33, of the same time: three elephants that list, a mouse that
// reads, and kubectl. The audit policy drops leases and probes.
const (
	auditLogs = "testdata/1.33/audit"
	httpLogs  = "testdata/1.33/http"
	jsonLog   = "testdata/1.33/http.json.log"
)

func options() Options {
	return Options{Clock: logs.Clock{Latest: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), Zone: time.UTC}}
}

func recorded(t *testing.T, o Options) (trace.Header, []trace.Request) {
	t.Helper()
	r, err := New(t.Context(), o)
	require.NoError(t, err)
	defer r.Close()
	var all []trace.Request
	require.NoError(t, r.Each(t.Context(), func(one *trace.Request) error {
		all = append(all, *one)
		return nil
	}))
	// A trace of these requests can be written.
	w, err := trace.Create(filepath.Join(t.TempDir(), "a.trace"), r.Header())
	require.NoError(t, err)
	for i := range all {
		require.NoError(t, w.Write(&all[i]))
	}
	require.NoError(t, w.Commit())
	return r.Header(), all
}

// count returns the number of requests that is returns true for.
func count(all []trace.Request, is func(*trace.Request) bool) int {
	n := 0
	for i := range all {
		if is(&all[i]) {
			n++
		}
	}
	return n
}

func byElephant(r *trace.Request) bool { return strings.HasPrefix(r.User, "elephant-") }
func isRejected(r *trace.Request) bool { return r.Rejected != "" }

func TestAuditLogsOfKubeAPIServer(t *testing.T) {
	o := options()
	o.Audit = []Log{{Path: auditLogs}}
	h, all := recorded(t, o)
	require.Len(t, all, 115)
	assert.Equal(t, 80, count(all, byElephant))
	assert.Positive(t, count(all, isRejected))
	assert.Equal(t, trace.SourceAudit, h.Source)
	assert.Equal(t, int64(115), h.Requests)
	assert.Nil(t, h.LeftOut.Requests, "an audit log does not say what its policy drops")
	assert.Greater(t, h.LeftOut.WithoutWait, 0.3)
	assert.InDelta(t, 1, h.LeftOut.WithoutLevel, 0)
	assert.Contains(t, h.LeftOut.Notes[0], "requests that its policy drops")
	waits := count(all, func(r *trace.Request) bool { return r.Wait != nil && r.Wait.Duration > 0 })
	assert.Positive(t, waits, "requests of more than 500 ms have their waits")
}

func TestLinesOfKubeAPIServer(t *testing.T) {
	for name, log := range map[string]string{"text": httpLogs, "JSON": jsonLog} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.HTTP = []Log{{"a", log}}
			h, all := recorded(t, o)
			assert.Equal(t, trace.SourceHTTP, h.Source)
			assert.Equal(t, []string{"a"}, h.Replicas)
			assert.Zero(t, *h.LeftOut.Requests)
			assert.Zero(t, h.LeftOut.WithoutLevel)
			assert.Zero(t, h.LeftOut.WithoutSeats)
			assert.Positive(t, h.LeftOut.WithoutUser)
			assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), "The user is unknown of ")
			assert.Positive(t, count(all, isRejected))
			for i := range all {
				r := &all[i]
				if r.Rejected != "" {
					assert.Equal(t, r.Latency, r.Wait)
					assert.Nil(t, r.Execution)
					assert.Equal(t, 429, r.Status)
				}
				if byElephant(r) {
					assert.Equal(t, "elephants", r.PriorityLevel)
					assert.Equal(t, []string{"elephants", "system:authenticated"}, r.Groups)
					assert.Equal(t, int64(300), r.List.Limit)
					assert.Equal(t, "a!=b", r.List.LabelSelector)
				}
			}
		})
	}
}

func TestJoinedLogsOfKubeAPIServer(t *testing.T) {
	o := options()
	o.Audit, o.HTTP = []Log{{Path: auditLogs}}, []Log{{Path: httpLogs}}
	h, all := recorded(t, o)
	assert.Equal(t, trace.SourceJoined, h.Source)
	require.Len(t, all, 124, "a request is one, not two")
	assert.Equal(t, 80, count(all, byElephant))
	leases := count(all, func(r *trace.Request) bool { return r.Resource == "leases" })
	assert.Positive(t, leases, "lines have what the audit policy drops")
	assert.Contains(t, h.LeftOut.Notes[0], "The audit log leaves out 7.3% of the requests")
	for i := range all {
		r := &all[i]
		assert.NotEmpty(t, r.PriorityLevel)
		if r.Verb != "watch" {
			assert.NotNil(t, r.Wait, "%s %s", r.Verb, r.Client)
		}
		if r.Rejected == "" {
			assert.NotNil(t, r.Execution)
		}
	}
}
