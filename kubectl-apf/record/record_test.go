package record

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// event is an audit event, received at a second and completed after 250 ms.
func event(second int, id, user, uri string) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":%q,"stage":"ResponseComplete","requestURI":%q,"verb":"get","user":{"username":%q,"groups":["system:authenticated"]},"userAgent":"agent","responseStatus":{"code":200},"requestReceivedTimestamp":"2026-11-22T10:00:%02d.000000Z","stageTimestamp":"2026-11-22T10:00:%02d.250000Z","annotations":{}}`+"\n", id, uri, user, second, second)
}

// annotated is an event of flowcontrol-apiserver: the request waited for 60 ms.
func annotated(event, outcome string) string {
	return strings.Replace(event, `"annotations":{}`,
		`"annotations":{"apf.flowcontrol-apiserver.io/flow-schema":"s","apf.flowcontrol-apiserver.io/priority-level":"l","apf.flowcontrol-apiserver.io/seats":"4","apf.flowcontrol-apiserver.io/queue-wait":"60ms","apf.flowcontrol-apiserver.io/outcome":"`+outcome+`"}`, 1)
}

// line is one of -v=3, of a request that arrived at a second.
func line(second int, id, agent, uri string) string {
	return fmt.Sprintf(`I1122 10:00:%02d.250000       1 httplog.go:134] "HTTP" verb="GET" URI=%q latency="250ms" userAgent=%q audit-ID=%q srcIP="10.0.0.7:1" apf_pl="workload-low" apf_fs="service-accounts" apf_iseats=2 apf_fseats=1 apf_additionalLatency="5ms" apf_execution_time="200ms" resp=200`+"\n", second, uri, agent, id)
}

// logsOf writes files, and returns options to read them. Names that begin with "http" are of -v=3
// lines. A name ends with the replica's, after a dash.
func logsOf(t *testing.T, texts map[string]string) Options {
	t.Helper()
	o, directory := options(), t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text, log := texts[name], Log{Path: filepath.Join(directory, name)}
		_, log.Replica, _ = strings.Cut(name, "-")
		require.NoError(t, os.WriteFile(log.Path, []byte(text), 0o600))
		if strings.HasPrefix(name, "http") {
			o.HTTP = append(o.HTTP, log)
		} else {
			o.Audit = append(o.Audit, log)
		}
	}
	return o
}

// An event and a line with the same audit ID and URI are one request.
func TestJoin(t *testing.T) {
	of := func(l string, old ...string) string { return strings.NewReplacer(old...).Replace(l) }
	const figures = ` apf_iseats=2 apf_fseats=1 apf_additionalLatency="5ms" apf_execution_time="200ms"`
	_, all := recorded(t, logsOf(t, map[string]string{
		"audit": event(2, "c", "carol", "/c") + event(0, "a", "alice", "/a") + annotated(event(3, "d", "dora", "/d"), "executed") + event(4, "same", "eve", "/e") +
			event(6, "", "gus", "/g") + annotated(event(9, "h", "hal", "/h"), "executed") + annotated(event(10, "i", "ida", "/i"), "queue-full") + event(11, "j", "joe", "/j"),
		"http-x": line(1, "b", "agent", "/b") + line(2, "c", "agent", "/c") + line(3, "d", "agent", "/d") + line(4, "same", "agent", "/e") + line(5, "same", "other", "/f") + line(7, "", "agent", "/g") +
			line(8, "same", "other", "/e") + of(line(9, "h", "agent", "/h"), figures, "") + of(line(10, "i", "agent", "/i"), figures, "", "resp=200", "resp=429") +
			of(line(11, "j", "agent", "/j"), ` apf_execution_time="200ms"`, "", "resp=200", "resp=429"),
	}))
	var got []string
	for i := range all {
		r := &all[i]
		ms := func(d *metav1.Duration) string {
			if d == nil {
				return "-"
			}
			return d.Duration.String()
		}
		seats := "-"
		if r.Seats != nil {
			seats = fmt.Sprint(*r.Seats)
		}
		got = append(got, strings.Join([]string{r.Path, r.User, r.Client, r.Replica, r.FlowSchema, r.PriorityLevel, ms(r.Wait), ms(r.Execution), seats, r.Rejected}, " "))
	}
	assert.Equal(t, []string{
		"/a alice agent    - - - ",
		"/b  agent x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ",
		"/c carol agent x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ",
		"/d dora agent x s l 60ms 200ms {2 1 {5ms}} ", // annotations are exact, and lines tell initial and final seats
		"/e eve agent x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ",
		"/f  other x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ", // the same ID with another URI
		"/g gus agent    - - - ", // without an ID
		"/g  agent x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ",
		"/e  other x service-accounts workload-low 50ms 200ms {2 1 {5ms}} ", // the same ID at another time
		"/h hal agent x s l 60ms 190ms {4 0 {0s}} ",
		"/i ida agent x s l 60ms - {4 0 {0s}} queue-full",
		"/j joe agent x service-accounts workload-low 250ms - {2 1 {5ms}} unknown",
	}, got)
	around := time.Second
	joined := join(&item{}, &item{Request: logs.Request{Around: &around}})
	assert.Equal(t, &around, joined.Around)
}

// kubernetes#128863 and others: a pipeline delivers at least once, and a file may be there under two names.
func TestWhatIsInTheLogsTwiceCountsOnce(t *testing.T) {
	same := event(4, "client-set", "eve", "/e") + event(5, "client-set", "eve", "/e")
	for name, texts := range map[string]map[string]string{
		"events":           {"audit": event(0, "a", "alice", "/a") + same + event(0, "a", "alice", "/a") + event(0, "", "alice", "/a"), "audit2": same},
		"lines":            {"http": line(0, "a", "x", "/a") + line(4, "b", "x", "/e") + line(4, "c", "x", "/e"), "http2": line(0, "a", "x", "/a") + line(4, "", "x", "/e") + line(4, "c", "x", "/e") + line(4, "b", "x", "/e")},
		"events and lines": {"audit": event(0, "a", "alice", "/a") + same, "audit2": event(0, "a", "alice", "/a"), "http": line(0, "a", "agent", "/a") + line(4, "client-set", "agent", "/e"), "http2": line(0, "a", "agent", "/a") + line(9, "d", "agent", "/e")},
	} {
		h, all := recorded(t, logsOf(t, texts))
		assert.Len(t, all, 4, name)
		assert.EqualValues(t, 4, h.Requests, name)
		n := map[string]int{"events": 3, "lines": 3, "events and lines": 2}[name]
		assert.Contains(t, h.LeftOut.Notes, fmt.Sprintf("%d events and lines are in the logs twice, by their audit IDs, URIs and times, and count once.", n), name)
	}
}

func TestTheTimeZoneOfLinesFollowsFromTheEventsOfTheSameRequests(t *testing.T) {
	local := func(l string) string { return strings.ReplaceAll(l, "1122 10:", "1122 15:") }
	o := logsOf(t, map[string]string{
		"audit":  event(1, "a", "alice", "/a") + event(2, "b", "bob", "/b") + event(3, "c", "carol", "/c"),
		"http-x": local(line(1, "a", "agent", "/a") + line(2, "b", "agent", "/b") + line(9, "only", "agent", "/x")),
		"http-y": line(3, "c", "agent", "/c"), // in UTC
	})
	o.Clock.Zone = time.FixedZone("", -1800)
	h, all := recorded(t, o)
	require.Len(t, all, 4)
	for i, second := range []int{1, 2, 3, 9} {
		assert.Equal(t, time.Date(2026, 11, 22, 10, 0, second, 0, time.UTC), all[i].Arrival, i)
	}
	notes := strings.Join(h.LeftOut.Notes, "\n")
	assert.Contains(t, notes, "The lines of -v=3 of x are 5h30m0s later than the audit events of the same requests")
	assert.Contains(t, notes, "of y are 30m0s later")
}

// Clients may set the audit ID of their requests, all the same one.
func TestAuditIDsOfClientsPairWhatIsOneRequest(t *testing.T) {
	_, all := recorded(t, logsOf(t, map[string]string{
		"audit": event(2, "same", "bob", "/a") + event(3, "same", "carol", "/a") + event(5, "same", "eve", "/a"),
		"http":  line(1, "same", "agent", "/a") + line(3, "same", "agent", "/a") + line(4, "same", "agent", "/a") + line(5, "same", "other", "/a"),
	}))
	var got []string
	for i := range all {
		got = append(got, fmt.Sprint(all[i].Arrival.Second(), all[i].User, all[i].Seats != nil))
	}
	assert.ElementsMatch(t, []string{"1true", "2bobfalse", "3caroltrue", "4true", "5evefalse", "5true"}, got)
}

func TestServersAreToldApart(t *testing.T) {
	prefixed := func(pod, text string) string { return "[pod/" + pod + "/kube-apiserver] " + text }
	later := func(text string) string { return strings.ReplaceAll(text, "10:00:", "10:01:") }
	two := event(0, "a", "u", "/a") + event(30, "b", "u", "/b")
	other := event(1, "c", "u", "/c") + event(31, "d", "u", "/d")
	for _, test := range []struct {
		name  string
		texts map[string]string
		want  []string // the server of each request
		note  string
	}{
		{"by a prefix", map[string]string{"audit": prefixed("p", event(0, "a", "u", "/a")) + prefixed("q", event(1, "b", "u", "/b"))}, []string{"p", "q"}, ""},
		{"by the path that the user gives, not by a prefix", map[string]string{"audit-x": prefixed("p", event(0, "a", "u", "/a"))}, []string{"x"}, ""},
		{"by time that jumps back", map[string]string{"audit": two + other}, []string{"server-1", "server-2", "server-1", "server-2"}, "They are taken for the logs of 2, server-1 to server-2, because the same time comes again."},
		{"rotated files that are one after the other", map[string]string{"audit": later(two) + two}, []string{"", "", "", ""}, ""},
		{"files of the same time", map[string]string{"audit": two, "audit2": other}, []string{"server-1", "server-2", "server-1", "server-2"}, "the same time comes again"},
		{"entries that a pipeline delivers late", map[string]string{"audit": event(0, "a", "u", "/a") + event(9, "b", "u", "/b") + event(6, "c", "u", "/c") + event(30, "d", "u", "/d")}, []string{"", "", "", ""}, ""},
		{"no order at all", map[string]string{"audit": strings.Repeat(other+two, 40)}, []string{"", "", "", ""}, "are not in the order of their times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, all := recorded(t, logsOf(t, test.texts))
			var got []string
			for i := range all {
				got = append(got, all[i].Replica)
			}
			assert.Equal(t, test.want, got)
			notes := strings.Join(h.LeftOut.Notes, "\n")
			assert.Contains(t, notes, test.note)
			assert.Equal(t, test.note != "", strings.Contains(notes, "name"), notes)
		})
	}
}

// Seven requests took 1.75 s, 0.25 s each. A watch does not count, and the end of two is unknown.
func TestWhatATraceLeavesOutIsCounted(t *testing.T) {
	exempt := func(second int, execution string) string {
		return strings.NewReplacer("workload-low", "exempt", `time="200ms"`, `time="`+execution+`"`).Replace(line(second, "", "agent", "/x"))
	}
	watch := strings.NewReplacer(`"verb":"get"`, `"verb":"watch"`, "10:00:03.25", "10:00:33.25").Replace(event(3, "w", "alice", "/api/v1/pods?watch=true"))
	o := logsOf(t, map[string]string{
		"audit-b": event(1, "c", "carol", "/c") + strings.Replace(event(2, "d", "dan", "/d"), `["system:authenticated"]`, "[]", 1) + watch +
			strings.Replace(event(4, "j", "jim", "/j"), "10:00:04.25", "10:00:03.25", 1) + strings.Replace(event(5, "k", "kim", "/k"), `"stageTimestamp":"2026-11-22T10:00:05.250000Z",`, "", 1) +
			annotated(event(6, "l", "lea", "/l"), "executed") + event(7, "p", "pam", "/api/v1/namespaces/a/pods/p/log") + event(8, "", "", "/nobody"),
		"http-a": line(1, "c", "agent", "/c") + exempt(6, "249ms") + exempt(7, "200ms") + strings.Replace(exempt(8, "150ms"), " apf_iseats=2", "", 1) +
			strings.NewReplacer(` apf_execution_time="200ms"`, "", "resp=200", "resp=429").Replace(line(9, "r", "agent", "/r")) +
			strings.Replace(line(9, "u", "agent", "/u"), `apf_pl="workload-low" apf_fs="service-accounts" `, "", 1),
	})
	h, all := recorded(t, o)
	assert.Equal(t, 3, count(all, func(r *trace.Request) bool { return r.PriorityLevel == "exempt" && r.Wait.Duration == 0 }), "exempt requests do not wait")
	assert.Equal(t, trace.Header{
		Source: trace.SourceJoined, Requests: 10, Replicas: []string{"a", "b"},
		Start: new(time.Date(2026, 11, 22, 10, 0, 1, 0, time.UTC)), End: new(time.Date(2026, 11, 22, 10, 0, 9, 0, time.UTC)),
		LeftOut: trace.LeftOut{
			Requests: new(0.0), Seconds: new(0.0), WithoutWait: 0.4, WaitSeconds: 1.0 / 7, WithoutExecution: 0.4, WithoutSeats: 0.5, WithoutLevel: 0.4, WithoutUser: 0.4, WithoutGroups: 0.5,
			Notes: []string{
				"The audit log leaves out 40.0% of the requests and 57.1% of the seconds. The trace has them from lines of -v=3, which have no users.",
				"50.0% of the requests have an audit event and no line of -v=3: the logs are of different times, or a part of them is missing.",
				"The user is unknown of 40.0% of the requests, which took 57.1% of the seconds.",
				"The groups of 10.0% of the requests, which took 14.3% of the seconds, are implied by their users' names: the log has none. Users may be in others.",
				"The wait is unknown of 40.0% of the requests, which took 14.3% of the seconds.",
				"The time of execution is unknown of 40.0% of the requests, which took 14.3% of the seconds.",
				"The flow schema and priority level are unknown of 40.0% of the requests, which took 14.3% of the seconds.",
				"The seats are unknown of 50.0% of the requests, which took 28.6% of the seconds.",
				"How long they took is unknown of 20.0% of the requests.",
				"The wait of a line is its latency minus its execution, so it includes the filters around flow control. They took 50ms (median) and 100ms (99th percentile) of exempt requests.",
				"1 audit events of long-running requests are left out: flow control does not govern them.",
				"1 audit events without a user are left out: their authentication failed before flow control.",
				"1 lines without a flow schema are left out: flow control did not see these requests.",
				"1 requests ended before they began, or a month later: the clock jumped. Their latency is unknown.",
			},
		},
	}, h)
}

func TestSmallSharesAreNotNone(t *testing.T) {
	for share, want := range map[float64]string{0: "0.0%", 0.0009: "less than 0.1%", 0.001: "0.1%", 0.006: "0.6%", 1: "100.0%"} {
		assert.Equal(t, want, percent(share))
	}
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

// days are events at days after the first of October.
func days(after ...int) string {
	var text strings.Builder
	for _, day := range after {
		at := time.Date(2026, 10, 1+day, 10, 0, 0, 0, time.UTC)
		text.WriteString(strings.ReplaceAll(event(0, fmt.Sprint(day), "alice", "/a"), "2026-11-22T", at.Format("2006-01-02T")))
	}
	return text.String()
}

func TestBadInput(t *testing.T) {
	for _, test := range []struct {
		name  string
		texts map[string]string
		want  string
	}{
		{"no logs", nil, "an audit log or a log of -v=3 is required"},
		{"an empty audit log", map[string]string{"audit.log": ""}, "audit.log: no event of the stage ResponseComplete"},
		{"an audit log that is none", map[string]string{"audit.log": "hello\n"}, "line 1 is no JSON of an audit event"},
		{"lines that are none", map[string]string{"http.log": "hello\n"}, `http.log: no line with the message "HTTP"`},
		{"no request that is governed", map[string]string{"audit.log": event(0, "a", "alice", "/api/v1/namespaces/a/pods/p/log")}, "the logs have no request that flow control governs"},
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

func TestLogsThatAreNoTrace(t *testing.T) {
	for log, want := range map[string]string{
		event(0, "a", "alice", "/a") + strings.ReplaceAll(event(0, "b", "bob", "/b"), "2026-11-22T", "2026-11-30T"): "no request arrived from 2026-11-22T10:00:00Z to 2026-11-30T10:00:00Z: a clock jumped, or a part of the logs is missing",
		days(0, 7, 14, 21, 28, 32): "the requests are of 2026-10-01T10:00:00Z to 2026-11-02T10:00:00Z, and may be of 744h0m0s",
	} {
		r, err := New(t.Context(), logsOf(t, map[string]string{"audit.log": log}))
		require.NoError(t, err, "other commands read them")
		require.ErrorContains(t, r.Unfit(), want)
		r.Close()
	}
}

func TestLogsThatDoNotFitAreNoted(t *testing.T) {
	for want, texts := range map[string]map[string]string{
		"1 of 2 lines are skipped; line 2 is no JSON of an audit event":                             {"audit": event(0, "a", "alice", "/a") + event(1, "b", "bob", "/b")[:80]},
		"No audit event has the audit ID of a line: the logs may be of different servers or times.": {"audit": event(0, "a", "alice", "/a"), "http": line(0, "b", "agent", "/a")},
	} {
		h, _ := recorded(t, logsOf(t, texts))
		assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), want)
	}
}

func TestHoursOfSilenceAreOneTraceAndNamed(t *testing.T) {
	var log strings.Builder
	for hour := range 9 {
		log.WriteString(strings.ReplaceAll(event(0, fmt.Sprint(hour), "alice", "/a"), "T10:", fmt.Sprintf("T%02d:", 2*hour)))
	}
	log.WriteString(strings.ReplaceAll(event(0, "y", "alice", "/a"), "T10:", "T17:")) // an hour is no silence
	log.WriteString(strings.ReplaceAll(event(0, "z", "alice", "/a"), "22T10:", "29T17:"))
	h, all := recorded(t, logsOf(t, map[string]string{"audit.log": log.String()}))
	assert.Len(t, all, 11)
	notes := strings.Join(h.LeftOut.Notes, "\n")
	assert.Contains(t, notes, "No request arrived from 2026-11-22T00:00:00Z to 2026-11-22T02:00:00Z, ")
	assert.Contains(t, notes, " and 4 more times: the servers were idle or down, or a part of the logs is missing.")
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

// endless is a log that never ends, of lines that are skipped. It interrupts the program after a megabyte.
type endless struct {
	left      int
	interrupt func()
}

func (e *endless) Read(into []byte) (int, error) {
	if e.left -= len(into); e.left < 0 {
		e.interrupt()
	}
	for i := range into {
		into[i] = "no event\n"[i%9]
	}
	return len(into), nil
}

func TestALongLogIsInterruptedWithinIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := options()
	o.Audit, o.Stdin = []Log{{Path: "-"}}, &endless{1 << 20, cancel}
	_, err := New(ctx, o)
	require.ErrorIs(t, err, context.Canceled)
}
