package logs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Lines of kube-apiserver 1.33.
const (
	waitedLine   = `I1123 02:34:33.233521   10924 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/namespaces/default/configmaps?labelSelector=a%21%3Db&limit=300" latency="165.346094ms" userAgent="loader/v1.0.0 (linux/amd64) kubernetes/1234567" audit-ID="b07598d3-2339-4142-9085-30c1b5cd63b4" srcIP="127.0.0.1:45296" apf_pl="elephants" apf_fs="elephants" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" fl_priorityandfairness="102.425785ms" apf_execution_time="51.340859ms" resp=200 addedInfo="admin[system:masters,system:authenticated] is impersonating elephant-1[elephants,system:authenticated]"`
	rejectedLine = `I1123 02:34:33.062718   10924 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/namespaces/default/configmaps?labelSelector=a%21%3Db&limit=300" latency="605.816µs" userAgent="loader/v1.0.0 (linux/amd64) kubernetes/1234567" audit-ID="d401bf30-e62a-4bc0-90d0-af718f397ab7" srcIP="127.0.0.1:45296" apf_pl="elephants" apf_fs="elephants" apf_iseats=1 apf_fseats=0 apf_additionalLatency="0s" resp=429 addedInfo="admin[system:masters,system:authenticated] is impersonating elephant-0"`
	writeLine    = `I1123 02:34:13.100000   10924 httplog.go:134] "HTTP" verb="APPLY" URI="/apis/apps/v1/namespaces/a/deployments/web/scale?fieldManager=x" latency="3ms" userAgent="" audit-ID="1" srcIP="[::1]:45296" apf_pl="workload-low" apf_fs="service-accounts" apf_iseats=1 apf_fseats=3 apf_additionalLatency="5ms" apf_execution_time="2ms" resp=500 statusStack=<`
	lineAsJSON   = `{"ts":1795343673062.718,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"GET","URI":"/readyz","latency":"1.5ms","userAgent":"probe","audit-ID":"2","srcIP":"127.0.0.1:1","apf_pl":"exempt","apf_fs":"probes","apf_iseats":1,"apf_fseats":0,"apf_additionalLatency":"0s","apf_execution_time":"1ms","resp":200}`
)

func clock() Clock {
	return Clock{Latest: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), Zone: time.UTC}
}

func readRequestLines(t *testing.T, clock Clock, log string) ([]*Request, Summary) {
	t.Helper()
	var lines []*Request
	summary, err := ReadRequestLines("a.log", strings.NewReader(log), clock, func(r *Request) error {
		lines = append(lines, r)
		return nil
	})
	require.NoError(t, err)
	return lines, summary
}

func TestLine(t *testing.T) {
	probe := Request{
		ID: "2", URI: "/readyz", Completed: time.UnixMicro(1795343673062718).UTC(), Around: new(500 * time.Microsecond),
		Request: trace.Request{
			Arrival: time.UnixMicro(1795343673061218).UTC(), Verb: "get", Path: "/readyz", Client: "probe",
			Status: 200, Latency: seconds(1500 * time.Microsecond), Wait: seconds(0), Execution: seconds(time.Millisecond),
			FlowSchema: "probes", PriorityLevel: "exempt", Seats: &trace.Seats{Initial: 1},
		},
	}
	for _, test := range []struct {
		name, line string
		want       Request
	}{
		{"a list that waited", waitedLine, Request{
			ID: "b07598d3-2339-4142-9085-30c1b5cd63b4", URI: "/api/v1/namespaces/default/configmaps?labelSelector=a%21%3Db&limit=300",
			Completed: at("2026-11-23T02:34:33.233521Z"), Zoned: true,
			Request: trace.Request{
				Arrival: at("2026-11-23T02:34:33.233521Z").Add(-165346094), Client: "loader/v1.0.0 (linux/amd64) kubernetes/1234567",
				User: "elephant-1", Groups: []string{"elephants", "system:authenticated"}, Verb: "list",
				APIVersion: "v1", Resource: "configmaps", Namespace: "default", List: &trace.ListOptions{LabelSelector: "a!=b", Limit: 300},
				Status: 200, Latency: seconds(165346094), Execution: seconds(51340859), Wait: seconds(102425785),
				FlowSchema: "elephants", PriorityLevel: "elephants", Seats: &trace.Seats{Initial: 1},
			},
		}},
		{"a write, whose statusStack has several lines, waited for what its latency has besides its execution", writeLine + "\n\tgoroutine 1\n >\n", Request{
			ID: "1", URI: "/apis/apps/v1/namespaces/a/deployments/web/scale?fieldManager=x", Completed: at("2026-11-23T02:34:13.1Z"), Zoned: true,
			Request: trace.Request{
				Arrival: at("2026-11-23T02:34:13.097Z"), Verb: "patch", APIGroup: "apps", APIVersion: "v1", Resource: "deployments", Subresource: "scale",
				Namespace: "a", Name: "web", Status: 500, Latency: seconds(3 * time.Millisecond),
				Execution: seconds(2 * time.Millisecond), Wait: seconds(time.Millisecond),
				FlowSchema: "service-accounts", PriorityLevel: "workload-low",
				Seats: &trace.Seats{Initial: 1, Final: 3, AdditionalLatency: *seconds(5 * time.Millisecond)},
			},
		}},
		{"JSON", lineAsJSON, probe},
		{"a line of a container runtime, whose year counts", "2025-11-23T02:34:33.3Z stderr F " + lineAsJSON, probe},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, summary := readRequestLines(t, clock(), test.line)
			require.Len(t, lines, 1)
			assert.Equal(t, &test.want, lines[0])
			assert.Empty(t, summary.Notes())
		})
	}
}

func TestRejectedRequestLines(t *testing.T) {
	for line, want := range map[string]string{
		rejectedLine: trace.UnknownReason, waitedLine: "",
		strings.Replace(waitedLine, "resp=200", "resp=429", 1):                                           "", // a handler's
		strings.Replace(rejectedLine, `apf_pl="elephants" apf_fs="elephants" `, "", 1):                   "", // before flow control
		strings.Replace(rejectedLine, "resp=429", "resp=504", 1):                                         "",
		strings.NewReplacer("apf_execution_time=\"51.340859ms\" ", "", "200", "429").Replace(waitedLine): trace.UnknownReason,
	} {
		lines, _ := readRequestLines(t, clock(), line)
		assert.Equal(t, want, lines[0].Rejected, line)
		if want != "" {
			assert.Equal(t, lines[0].Latency, lines[0].Wait, line)
		}
	}
}

func TestImpersonatedUserWithoutGroups(t *testing.T) {
	lines, _ := readRequestLines(t, clock(), rejectedLine)
	assert.Equal(t, "elephant-0", lines[0].User)
	assert.Nil(t, lines[0].Groups)
}

func TestYearAndTimeZoneOfText(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	for _, test := range []struct {
		name, line string
		clock      Clock
		want       string
	}{
		{"the year of the latest time", waitedLine, clock(), "2026-11-23T02:34:33.233521Z"},
		{"the year before, if it would be later", waitedLine, Clock{at("2026-03-01T00:00:00Z"), time.UTC}, "2025-11-23T02:34:33.233521Z"},
		{"another time zone", waitedLine, Clock{at("2026-12-31T00:00:00Z"), berlin}, "2026-11-23T01:34:33.233521Z"},
		{"the year of a container runtime", "2024-11-23T02:34:33.3Z stderr F " + waitedLine, clock(), "2024-11-23T02:34:33.233521Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, _ := readRequestLines(t, test.clock, test.line)
			assert.Equal(t, at(test.want), lines[0].Completed)
		})
	}
}

func TestOtherLinesAreIgnoredAndBrokenOnesCounted(t *testing.T) {
	other := "I1123 02:34:33.233521   10924 trace.go:236] Trace[1]: \"List\" URI=x\n\nplain text\n{\"msg\":\"other\"}\n{\"msg\":\"says \\\"HTTP\\\"\"}\n"
	lines, summary := readRequestLines(t, clock(), other+waitedLine)
	assert.Len(t, lines, 1)
	assert.Empty(t, summary.Notes())

	for _, test := range []struct{ name, line, want string }{
		{"a line that is cut off within a value", waitedLine[:200], "line 2 has userAgent=\"loader"},
		{"a line that is cut off within a key", strings.Split(waitedLine, "=200")[0], "line 2 has \"resp\", must be KEY=VALUE"},
		{"no latency", strings.Replace(waitedLine, `latency="165.346094ms" `, "", 1), "line 2 has no latency"},
		{"a latency that is none", strings.Replace(waitedLine, "165.346094ms", "long", 1), `line 2 has latency="long", must be a duration`},
		{"a negative wait", strings.Replace(waitedLine, "102.425785ms", "-1ms", 1), `line 2 has fl_priorityandfairness="-1ms"`},
		{"seats that are none", strings.Replace(waitedLine, "apf_iseats=1", "apf_iseats=x", 1), `line 2 has apf_iseats="x", must be a whole number`},
		{"a URI that is none", strings.Replace(waitedLine, `URI="/`, `URI="`, 1), "line 2 has the URI"},
		{"a time that is none", strings.Replace(waitedLine, "I1123", "I1323", 1), `line 2 has the time "1323 02:34:33.233521"`},
		{"no time", `I1123] "HTTP" verb="GET"`, `line 2 has the header "I1123"`},
		{"no time in JSON", strings.Replace(lineAsJSON, `"ts":1795343673062.718`, `"ts":"now"`, 1), "line 2 has no ts"},
		{"JSON that is cut off", lineAsJSON[:120], "line 2 is no JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, summary := readRequestLines(t, clock(), waitedLine+"\n"+test.line)
			require.Len(t, summary.Notes(), 1)
			assert.Contains(t, summary.Notes()[0], "a.log: 1 of 2 lines are skipped; "+test.want)
		})
	}
}

func TestLogWithoutRequestLinesIsAnError(t *testing.T) {
	for log, want := range map[string]string{
		"": "a.log: no line with the message \"HTTP\"", "plain text\n": "must be a log of an API server with -v=3 or more", waitedLine[:200]: "; line 1 has userAgent=",
	} {
		_, err := ReadRequestLines("a.log", strings.NewReader(log), clock(), func(*Request) error { return nil })
		require.ErrorIs(t, err, ErrNoRequests)
		require.ErrorContains(t, err, want)
	}
	enough := errors.New("enough")
	_, err := ReadRequestLines("a.log", strings.NewReader(waitedLine), clock(), func(*Request) error { return enough })
	require.ErrorIs(t, err, enough)
}

func FuzzRequestLinesNeverPanic(f *testing.F) {
	for _, line := range []string{waitedLine, rejectedLine, writeLine, lineAsJSON} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		summary, err := ReadRequestLines("a.log", strings.NewReader(line), clock(), func(r *Request) error {
			_, _ = r.Governed(), r.Executed()
			return nil
		})
		if err == nil && summary.Requests == 0 {
			t.Error("no request and no error")
		}
	})
}
