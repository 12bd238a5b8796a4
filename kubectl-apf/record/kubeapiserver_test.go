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

func TestLogsOfKubeAPIServer(t *testing.T) {
	audit, text, lines := []Log{{Path: auditLogs}}, []Log{{"a", httpLogs}}, []Log{{"a", jsonLog}}
	for name, test := range map[string]struct {
		audit, http []Log
		requests    int
		says        string
	}{
		"audit":   {audit, nil, 115, "An audit log has no requests that its policy drops."},
		"text":    {nil, text, 0, "The user is unknown of "},
		"JSON":    {nil, lines, 0, "The user is unknown of "},
		"of both": {audit, text, 124, "The audit log leaves out 7.3% of the requests"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.Audit, o.HTTP = test.audit, test.http
			h, all := recorded(t, o)
			if leases := count(all, func(r *trace.Request) bool { return r.Resource == "leases" }); test.requests > 0 {
				assert.Len(t, all, test.requests, "a request is one, not two")
				assert.Equal(t, 80, count(all, byElephant))
				assert.Equal(t, test.http != nil, leases > 0, "the audit policy drops them")
			}
			assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), test.says)
			assert.Positive(t, count(all, func(r *trace.Request) bool { return r.Rejected != "" }))
			assert.Positive(t, count(all, func(r *trace.Request) bool { return r.Wait != nil && r.Wait.Duration > 0 }))
			for i := range all {
				if r := &all[i]; test.http != nil {
					checkLine(t, r, test.audit != nil)
				}
			}
		})
	}
}

// checkLine checks what a line tells of a request.
func checkLine(t *testing.T, r *trace.Request, joined bool) {
	t.Helper()
	assert.NotEmpty(t, r.PriorityLevel)
	if r.Verb != "watch" {
		assert.NotNil(t, r.Wait, "%s %s", r.Verb, r.Client)
	}
	assert.Equal(t, r.Rejected == "", r.Execution != nil)
	if r.Rejected != "" {
		assert.Equal(t, 429, r.Status)
	}
	if byElephant(r) && !joined {
		assert.Equal(t, "elephants", r.PriorityLevel)
		assert.Equal(t, []string{"elephants", "system:authenticated"}, r.Groups)
		assert.Equal(t, &trace.ListOptions{Limit: 300, LabelSelector: "a!=b"}, r.List)
	}
}
