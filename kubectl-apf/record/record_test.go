package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// event is an audit event, received at a second and completed after 250 ms.
func event(second int, id, user, uri string) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":%q,"stage":"ResponseComplete","requestURI":%q,"verb":"get","user":{"username":%q,"groups":["system:authenticated"]},"userAgent":"agent","responseStatus":{"code":200},"requestReceivedTimestamp":"2026-11-22T10:00:%02d.000000Z","stageTimestamp":"2026-11-22T10:00:%02d.250000Z","annotations":{}}`+"\n", id, uri, user, second, second)
}

// line is one of -v=3, of a request that arrived at a second.
func line(second int, id, agent, uri string) string {
	return fmt.Sprintf(`I1122 10:00:%02d.250000       1 httplog.go:134] "HTTP" verb="GET" URI=%q latency="250ms" userAgent=%q audit-ID=%q srcIP="10.0.0.7:1" apf_pl="workload-low" apf_fs="service-accounts" apf_iseats=2 apf_fseats=1 apf_additionalLatency="5ms" apf_execution_time="200ms" resp=200`+"\n", second, uri, agent, id)
}

// logsOf writes files, and returns options to read them. Names that begin with "http" are of -v=3
// lines.
func logsOf(t *testing.T, texts map[string]string) Options {
	t.Helper()
	o, directory := options(), t.TempDir()
	for name, text := range texts {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if strings.HasPrefix(name, "http") {
			o.HTTP = append(o.HTTP, Log{Path: path})
		} else {
			o.Audit = append(o.Audit, Log{Path: path})
		}
	}
	return o
}

func TestJoin(t *testing.T) {
	annotated := strings.Replace(event(3, "d", "dora", "/d"), `"annotations":{}`,
		`"annotations":{"apf.flowcontrol-apiserver.io/flow-schema":"dora","apf.flowcontrol-apiserver.io/priority-level":"doras","apf.flowcontrol-apiserver.io/seats":"4","apf.flowcontrol-apiserver.io/queue-wait":"50ms","apf.flowcontrol-apiserver.io/outcome":"executed"}`, 1)
	_, all := recorded(t, logsOf(t, map[string]string{
		"audit.log": event(2, "c", "carol", "/c") + event(0, "a", "alice", "/a") + annotated + event(4, "same", "eve", "/e") + event(6, "", "gus", "/g"),
		"http.log":  line(1, "b", "agent", "/b") + line(2, "c", "agent", "/c") + line(3, "d", "agent", "/d") + line(5, "same", "other", "/f") + line(7, "", "agent", "/g"),
	}))
	var users, paths []string
	for i := range all {
		users, paths = append(users, all[i].User), append(paths, all[i].Path)
	}
	assert.Equal(t, []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/g"}, paths, "the same audit ID with another URI is another request, and so is each without an ID")
	assert.Equal(t, []string{"alice", "", "carol", "dora", "eve", "", "gus", ""}, users)
	carol, dora := all[2], all[3]
	assert.Equal(t, 50*time.Millisecond, carol.Wait.Duration)
	assert.Equal(t, 200*time.Millisecond, carol.Execution.Duration)
	assert.Equal(t, "service-accounts", carol.FlowSchema)
	assert.Equal(t, uint64(1), carol.Seats.Final)
	assert.Equal(t, "dora", dora.FlowSchema, "annotations of flowcontrol-apiserver are exact")
	assert.Equal(t, uint64(2), dora.Seats.Initial, "lines tell initial and final seats")
}

func TestAnnotationsOfFlowControlAPIServer(t *testing.T) {
	annotate := func(outcome string) string {
		return strings.Replace(event(0, "a", "alice", "/a"), `"annotations":{}`,
			`"annotations":{"apf.flowcontrol-apiserver.io/flow-schema":"s","apf.flowcontrol-apiserver.io/priority-level":"l","apf.flowcontrol-apiserver.io/seats":"4","apf.flowcontrol-apiserver.io/queue-wait":"50ms","apf.flowcontrol-apiserver.io/outcome":"`+outcome+`"}`, 1)
	}
	_, all := recorded(t, logsOf(t, map[string]string{"audit.log": annotate("executed")}))
	assert.Equal(t, 200*time.Millisecond, all[0].Execution.Duration)
	assert.Equal(t, &trace.Seats{Initial: 4}, all[0].Seats)
	assert.Equal(t, "s l", all[0].FlowSchema+" "+all[0].PriorityLevel)
	_, all = recorded(t, logsOf(t, map[string]string{"audit.log": annotate("queue-full")}))
	assert.Equal(t, "queue-full", all[0].Rejected)
	assert.Nil(t, all[0].Execution)
}

func TestWhatFlowControlDoesNotGovernIsLeftOut(t *testing.T) {
	h, all := recorded(t, logsOf(t, map[string]string{
		"audit.log": event(0, "a", "alice", "/a") + event(1, "b", "alice", "/api/v1/namespaces/a/pods/p/log") + event(2, "c", "", "/c"),
		"http.log":  line(0, "a", "agent", "/a") + strings.Replace(line(3, "d", "agent", "/d"), `apf_pl="workload-low" apf_fs="service-accounts" `, "", 1),
	}))
	assert.Len(t, all, 1)
	notes := strings.Join(h.LeftOut.Notes, "\n")
	assert.Contains(t, notes, "1 audit events of long-running requests are left out")
	assert.Contains(t, notes, "1 audit events without a user are left out")
	assert.Contains(t, notes, "1 lines without a flow schema are left out")
}

func TestExemptRequestsDoNotWait(t *testing.T) {
	h, all := recorded(t, logsOf(t, map[string]string{"http.log": strings.Replace(line(0, "a", "agent", "/a"), "workload-low", "exempt", 1)}))
	assert.Zero(t, all[0].Wait.Duration)
	assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), "They took 50ms (median) and 50ms (99th percentile) of exempt requests.")
}

func TestListOptions(t *testing.T) {
	uri := "/api/v1/pods?limit=5&continue=x&labelSelector=a&fieldSelector=b=c&resourceVersion=7&resourceVersionMatch=Exact&sendInitialEvents=true"
	_, all := recorded(t, logsOf(t, map[string]string{"http.log": strings.Replace(line(0, "a", "agent", uri), `"GET"`, `"LIST"`, 1)}))
	yes := true
	assert.Equal(t, &trace.ListOptions{
		Limit: 5, Continue: true, LabelSelector: "a", FieldSelector: "b=c", ResourceVersion: "7", ResourceVersionMatch: "Exact", SendInitialEvents: &yes,
	}, all[0].List)
	_, all = recorded(t, logsOf(t, map[string]string{"http.log": line(0, "a", "agent", "/api/v1/pods?timeout=1s")}))
	assert.Nil(t, all[0].List)
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		name  string
		texts map[string]string
		want  string
	}{
		{"no logs", nil, "an audit log or a log of -v=3 must be given"},
		{"an empty audit log", map[string]string{"audit.log": ""}, "audit.log: no event of the stage ResponseComplete"},
		{"an audit log that is none", map[string]string{"audit.log": "hello\n"}, "line 1 is no JSON of an audit event"},
		{"lines that are none", map[string]string{"http.log": "hello\n"}, `http.log: no line with the message "HTTP"`},
		{"no request that is governed", map[string]string{"audit.log": event(0, "a", "alice", "/api/v1/namespaces/a/pods/p/log")}, "the logs have no request that flow control governs"},
		{"a clock that jumps", map[string]string{"audit.log": event(0, "a", "alice", "/a") + strings.ReplaceAll(event(0, "b", "bob", "/b"), "2026-11-22T", "2026-11-30T")},
			"no request arrived from 2026-11-22T10:00:00Z to 2026-11-30T10:00:00Z: a clock jumped, or a part of the logs is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(t.Context(), logsOf(t, test.texts))
			require.ErrorContains(t, err, test.want)
		})
	}
	o := options()
	o.Audit = []Log{{Path: filepath.Join(t.TempDir(), "missing")}}
	_, err := New(t.Context(), o)
	require.ErrorIs(t, err, os.ErrNotExist)
	o.Audit = []Log{{Path: t.TempDir()}}
	_, err = New(t.Context(), o)
	require.ErrorContains(t, err, "has no files")
}

func TestBrokenLinesAreNoted(t *testing.T) {
	h, _ := recorded(t, logsOf(t, map[string]string{"audit.log": event(0, "a", "alice", "/a") + event(1, "b", "bob", "/b")[:80]}))
	notes := strings.Join(h.LeftOut.Notes, "\n")
	assert.Contains(t, notes, "1 of 2 lines are skipped; line 2 is no JSON of an audit event")
}

func TestHoursOfSilenceAreOneTraceAndNamed(t *testing.T) {
	var log strings.Builder
	for hour := range 9 {
		log.WriteString(strings.ReplaceAll(event(0, fmt.Sprint(hour), "alice", "/a"), "T10:", fmt.Sprintf("T%02d:", 2*hour)))
	}
	log.WriteString(strings.ReplaceAll(event(0, "z", "alice", "/a"), "T10:", "T17:")) // an hour is no silence
	h, all := recorded(t, logsOf(t, map[string]string{"audit.log": log.String()}))
	assert.Len(t, all, 10)
	notes := strings.Join(h.LeftOut.Notes, "\n")
	assert.Contains(t, notes, "No request arrived from 2026-11-22T00:00:00Z to 2026-11-22T02:00:00Z, ")
	assert.Contains(t, notes, " and 3 more times: the servers were idle or down, or a part of the logs is missing.")
}

func TestLogsOfThePodsOfANode(t *testing.T) {
	o := options()
	o.HTTP = []Log{{Replica: "a", Path: filepath.Join("testdata", "pods")}}
	h, all := recorded(t, o)
	require.Len(t, all, 1)
	assert.Equal(t, "a", all[0].Replica)
	assert.Equal(t, "2025-02-04T16:50:04Z", all[0].Arrival.Truncate(time.Second).Format(time.RFC3339), "the year is the runtime's")
	assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), "Files without requests are left out: testdata/pods/kube-system_coredns-5d78_6a7b/coredns/0.log.")
}

func TestRequestThatEndsBeforeItBegins(t *testing.T) {
	h, all := recorded(t, logsOf(t, map[string]string{"audit.log": strings.Replace(event(5, "a", "alice", "/a"), "10:00:05.250000Z", "10:00:04.000000Z", 1)}))
	assert.Nil(t, all[0].Latency)
	assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), "1 requests ended before they began: the clock jumped.")
}

func TestRecordingCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := logsOf(t, map[string]string{"audit.log": event(0, "a", "alice", "/a")})
	r, err := New(ctx, o)
	require.NoError(t, err)
	defer r.Close()
	cancel()
	require.ErrorIs(t, r.Each(ctx, func(*trace.Request) error { return nil }), context.Canceled)
	_, err = New(ctx, o)
	require.ErrorIs(t, err, context.Canceled)
}
