package logs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authnv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/server/filters"
	auditlog "k8s.io/apiserver/plugin/pkg/audit/log"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/auditlines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Events as kube-apiserver 1.33 writes them.
var (
	list = auditlines.Of("list", "/api/v1/namespaces/team-a/pods?limit=500", "alice", 250*time.Millisecond, func(e *auditv1.Event) {
		e.User.Groups, e.SourceIPs, e.UserAgent = []string{"devs", "system:authenticated"}, []string{"10.0.0.7"}, "kubectl/v1.33.0"
		e.ObjectRef = &auditv1.ObjectReference{Resource: "pods", Namespace: "team-a", APIVersion: "v1"}
		e.Annotations = map[string]string{"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}
	})
	slow = auditlines.Of("create", "/api/v1/namespaces", "admin", 2*time.Second, func(e *auditv1.Event) {
		made := &runtime.Unknown{Raw: []byte(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"made"}}`)}
		e.Level, e.RequestObject, e.ResponseObject, e.ResponseStatus.Code = auditv1.LevelRequestResponse, made, made, 201
		e.ImpersonatedUser = &authnv1.UserInfo{Username: "system:serviceaccount:ci:builder", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}}
		e.ObjectRef = &auditv1.ObjectReference{Resource: "namespaces", Namespace: "made", Name: "made", APIVersion: "v1"}
		e.Annotations = map[string]string{"apiserver.latency.k8s.io/apf-queue-wait": "1.5s", "apiserver.latency.k8s.io/total": "2s"}
	})
	// The plain text of a rejection leaves a Status with a code alone.
	rejected = auditlines.Of("list", "/apis/apps/v1/deployments", "bob", time.Millisecond, func(e *auditv1.Event) { e.ResponseStatus.Code = 429 })
	evicted  = auditlines.Of("create", "/api/v1/namespaces/team-a/pods/web-0/eviction", "bob", 10*time.Millisecond, func(e *auditv1.Event) {
		e.ResponseStatus = &metav1.Status{Status: "Failure", Reason: "TooManyRequests", Code: 429, Message: "Cannot evict pod as it would violate the pod's disruption budget."}
	})
	probe = auditlines.Of("get", "/readyz?verbose", "system:anonymous", 10*time.Millisecond, func(e *auditv1.Event) {
		e.Stage, e.User.Groups, e.ResponseStatus.Code = auditv1.StagePanic, []string{"system:unauthenticated"}, 500
	})
	received  = auditlines.Of("list", "/api/v1/pods", "alice", 0, func(e *auditv1.Event) { e.Stage = auditv1.StageRequestReceived })
	explained = auditlines.Of("list", "/api/v1/pods", "bob", time.Millisecond, func(e *auditv1.Event) {
		e.ResponseStatus = &metav1.Status{Status: "Failure", Reason: "TooManyRequests", Code: 429, Details: &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: "FlowSchema", Message: "users"}, {Type: "RejectionReason", Message: "queue-full"}}, RetryAfterSeconds: 1,
		}}
	})
	// An event of flowcontrol-apiserver.
	annotated = auditlines.Of("list", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "bob", 15*time.Second, func(e *auditv1.Event) {
		e.ResponseStatus = &metav1.Status{Status: "Failure", Reason: "TooManyRequests", Code: 429}
		e.Annotations = map[string]string{
			filter.FlowSchemaAnnotation: "global-default", filter.PriorityLevelAnnotation: "global-default", filter.FlowDistinguisherAnnotation: "bob",
			filter.SeatsAnnotation: "4", filter.QueueWaitAnnotation: "15s", filter.OutcomeAnnotation: "time-out",
		}
	})
)

func readEvents(t *testing.T, log string) ([]*Request, Summary) {
	t.Helper()
	var events []*Request
	summary, err := ReadEvents("audit.log", strings.NewReader(log), func(r *Request) error {
		events = append(events, r)
		return nil
	})
	require.NoError(t, err)
	return events, summary
}

func at(text string) time.Time {
	parsed, _ := time.Parse(time.RFC3339, text)
	return parsed
}

func TestEvent(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       Request
	}{
		{"a list has the attributes of its URI; a short request may have waited", list, Request{
			ID: "1", URI: "/api/v1/namespaces/team-a/pods?limit=500", Address: "10.0.0.7",
			Completed: at("2026-11-22T10:00:00.25Z"),
			Request: trace.Request{
				Arrival: at("2026-11-22T10:00:00Z"), User: "alice", Groups: []string{"devs", "system:authenticated"}, Verb: "list",
				APIVersion: "v1", Resource: "pods", Namespace: "team-a", List: &trace.ListOptions{Limit: 500},
				Status: 200, Latency: seconds(250 * time.Millisecond), Client: "kubectl/v1.33.0",
			},
		}},
		{"an impersonated user is the one whom flow control sees, and the namespace of the created object is not", slow, Request{
			ID: "1", URI: "/api/v1/namespaces", Completed: at("2026-11-22T10:00:02Z"),
			Request: trace.Request{
				Arrival: at("2026-11-22T10:00:00Z"), User: "system:serviceaccount:ci:builder",
				Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"},
				Verb:   "create", APIVersion: "v1", Resource: "namespaces", Name: "made",
				Status: 201, Latency: seconds(2 * time.Second), Wait: seconds(1500 * time.Millisecond), Execution: seconds(500 * time.Millisecond),
			},
		}},
		{"a path is no resource, and a panic is an event", probe, Request{
			ID: "1", URI: "/readyz?verbose", Completed: at("2026-11-22T10:00:00.01Z"),
			Request: trace.Request{
				Arrival: at("2026-11-22T10:00:00Z"), User: "system:anonymous", Groups: []string{"system:unauthenticated"}, Verb: "get", Path: "/readyz",
				Status: 500, Latency: seconds(10 * time.Millisecond),
			},
		}},
		{"annotations of flowcontrol-apiserver tell everything", annotated, Request{
			ID: "1", URI: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", Completed: at("2026-11-22T10:00:15Z"),
			Annotated: true, Distinguisher: "bob",
			Request: trace.Request{
				Arrival: at("2026-11-22T10:00:00Z"), User: "bob", Groups: []string{"system:authenticated"}, Verb: "list",
				APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1", Resource: "flowschemas",
				Status: 429, Latency: seconds(15 * time.Second), Wait: seconds(15 * time.Second),
				FlowSchema: "global-default", PriorityLevel: "global-default", Seats: &trace.Seats{Initial: 4}, Rejected: "time-out",
			},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			require.Len(t, events, 1)
			events[0].Completed = events[0].Completed.UTC()
			assert.Equal(t, &test.want, events[0])
		})
	}
}

func TestOptionsDecideTheSeatsOfListsWatchesAndDeletions(t *testing.T) {
	const query = "continue=c&labelSelector=a&fieldSelector=b&resourceVersion=7&resourceVersionMatch=Exact&sendInitialEvents=true&limit=5"
	all := &trace.ListOptions{Limit: 5, Continue: true, LabelSelector: "a", FieldSelector: "b", ResourceVersion: "7", ResourceVersionMatch: "Exact", SendInitialEvents: new(true)}
	for verb, want := range map[string]*trace.ListOptions{"list": all, "watch": all, "deletecollection": all, "get": nil} {
		events, _ := readEvents(t, strings.NewReplacer(`"list"`, `"`+verb+`"`, "limit=500", query).Replace(list))
		assert.Equal(t, want, events[0].List, verb)
	}
	events, _ := readEvents(t, strings.Replace(list, "limit=500", "limit=many&sendInitialEvents=perhaps", 1))
	assert.Nil(t, events[0].List)
}

func TestRequestWithATotalAndNoWaitDidNotWait(t *testing.T) {
	events, _ := readEvents(t, strings.Replace(slow, `"apiserver.latency.k8s.io/apf-queue-wait":"1.5s",`, "", 1))
	assert.Equal(t, seconds(0), events[0].Wait)
}

func TestRejectedInEvents(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"a 429 without a reason is flow control's", rejected, trace.UnknownReason},
		{"a 429 with a reason is a handler's", evicted, ""},
		{"a 429 with the message of a handler is the handler's", strings.Replace(evicted, `"reason":"TooManyRequests",`, "", 1), ""},
		{"a 429 with a cause of flow control is flow control's", explained, "queue-full"},
		{"with annotations the outcome decides, not the reason", annotated, "time-out"},
		{"an outcome that is no reason is an execution", strings.Replace(annotated, `"time-out"`, `"executed"`, 1), ""},
		{"a log that is cut off is not governed", strings.NewReplacer("/apis/apps/v1/deployments", "/api/v1/namespaces/a/pods/p/log").Replace(rejected), ""},
		{"a success is none", list, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			require.Len(t, events, 1)
			assert.Equal(t, test.want, events[0].Rejected)
			assert.Equal(t, events[0].Status == 429 && test.want == "", events[0].OtherRejection())
			assert.Equal(t, strings.Contains(test.line, "Cannot evict pod"), events[0].Said != "")
		})
	}
}

func TestExecutedIsTheTimeWithoutTheQueue(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       time.Duration
	}{
		{"a wait does not count", slow, 500 * time.Millisecond},
		{"an unknown wait counts as none", list, 250 * time.Millisecond},
		{"a rejected request does not execute", annotated, 0},
		{"the duration of a watch is not known", strings.Replace(list, `"verb":"list"`, `"verb":"watch"`, 1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			assert.Equal(t, test.want, events[0].Executed())
		})
	}
}

func TestExecutedIsTheLatencyWithoutAKnownWait(t *testing.T) {
	r := Request{Request: trace.Request{Verb: "get", Latency: seconds(5 * time.Second), Wait: seconds(2 * time.Second)}}
	assert.Equal(t, 3*time.Second, r.Executed())
}

// The lists of verbs and subresources are kube-apiserver's, in pkg/controlplane/apiserver/config.go of Kubernetes.
func TestGovernedIsWhatTheLibrarySays(t *testing.T) {
	longRunning := filters.BasicLongRunningRequestCheck(sets.NewString("proxy"), sets.NewString("attach", "exec", "proxy", "log", "portforward"))
	long := 0
	for _, path := range []string{
		"/api/v1/pods", "/api/v1/namespaces/a/pods/p", "/api/v1/namespaces/a/pods/p/status", "/api/v1/namespaces/a/pods/p/exec", "/api/v1/namespaces/a/pods/p/attach",
		"/api/v1/namespaces/a/pods/p/log", "/api/v1/namespaces/a/pods/p/portforward", "/api/v1/namespaces/a/services/s/proxy/metrics", "/api/v1/nodes/n/proxy",
		"/api/v1/proxy/nodes/n", "/api/v1/namespaces/a/configmaps/exec", "/debug/pprof/profile", "/debug/pprof/", "/debug/pprof", "/debug/pprofs", "/debug/flags", "/metrics",
	} {
		line := strings.ReplaceAll(strings.Replace(list, `"verb":"list"`, `"verb":"get"`, 1), "/api/v1/namespaces/team-a/pods?limit=500", path)
		if strings.HasPrefix(path, "/api/v1/proxy/") {
			line = strings.Replace(line, `"verb":"get"`, `"verb":"proxy"`, 1)
		}
		events, _ := readEvents(t, line)
		at, err := url.Parse(path)
		require.NoError(t, err)
		info, err := uri.Info(http.MethodGet, at)
		require.NoError(t, err)
		assert.Equal(t, !longRunning(nil, info), events[0].Governed(), path)
		if !events[0].Governed() {
			long++
		}
	}
	assert.Equal(t, 9, long)
	r := Request{Request: trace.Request{Verb: "create", Resource: "pods", Subresource: "exec"}, Annotated: true}
	assert.True(t, r.Governed(), "flowcontrol-apiserver governs it, and says so")
}

func TestBrokenLinesAreCountedAndTheFirstIsNamed(t *testing.T) {
	for _, test := range []struct{ name, line, why string }{
		{"a truncated line", list[:100], "is no JSON of an audit event: unexpected end of JSON input"},
		{"another kind", `{"kind":"Pod","apiVersion":"v1"}`, `has kind "Pod" and apiVersion "v1", must be Event and audit.k8s.io/v1`},
		{"an old version", strings.Replace(list, "audit.k8s.io/v1", "audit.k8s.io/v1beta1", 1), `has kind "Event" and apiVersion "audit.k8s.io/v1beta1", must be Event and audit.k8s.io/v1`},
		{"the format legacy", `2026-11-22T10:00:00Z AUDIT: id="1" stage="ResponseComplete"`, "is no JSON of an audit event: invalid character '-' after top-level value"},
		{"no verb", strings.Replace(list, `"verb":"list",`, "", 1), "has no verb"},
		{"a URI that is none", strings.Replace(list, "/api/v1/namespaces/team-a/pods?limit=500", "pods", 1), `has the URI "pods", must be a path`},
		{"a wait that is none", strings.Replace(slow, `"1.5s"`, `"long"`, 1), `annotation apiserver.latency.k8s.io/apf-queue-wait is "long", must be a duration such as 1.5s`},
		{"seats that are none", strings.Replace(annotated, `"4"`, `"four"`, 1), `annotation apf.flowcontrol-apiserver.io/seats is "four", must be a whole number`},
		{"a line that is too long", `{"kind":"Event","padding":"` + strings.Repeat("x", MaxEntry), "is longer than 16 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, summary := readEvents(t, received+"\n\n"+test.line+"\n"+test.line+"\n"+list)
			assert.Len(t, events, 1)
			assert.Equal(t, Summary{Name: "audit.log", Lines: 4, Requests: 1, Skipped: 2, FirstSkipped: 3, WhySkipped: test.why}, summary)
			assert.Equal(t, []string{"audit.log: 2 of 4 lines are skipped; line 3 " + test.why + "."}, summary.Notes())
		})
	}
}

func TestLogWithoutEventsIsAnError(t *testing.T) {
	for _, test := range []struct{ name, log, message string }{
		{"an empty file", "", "audit.log: " + ErrNoEvents.Error()},
		{"empty lines", "\n \n", "audit.log: " + ErrNoEvents.Error()},
		{"a log of -v=3", `I1126 06:00:00.000000 1 httplog.go:134] "HTTP" verb="GET" URI="/readyz" latency="1ms" resp=200`, "audit.log: " + ErrNoEvents.Error() + "; it has lines of -v=3: kubectl apf record and lint read these with --http-log"},
		{"a policy that omits the last stage", received, "audit.log: " + ErrNoEvents.Error()},
		{"another file", "apiVersion: v1\nkind: Pod\n", "audit.log: " + ErrNoEvents.Error() + "; line 1 is no JSON of an audit event: invalid character 'a' looking for beginning of value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadEvents("audit.log", strings.NewReader(test.log), func(*Request) error { return nil })
			require.ErrorIs(t, err, ErrNoEvents)
			assert.EqualError(t, err, test.message)
		})
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestCompressedLog(t *testing.T) {
	events, summary := readEvents(t, string(compressed(t, list+"\n"+rejected+"\n")))
	assert.Len(t, events, 2)
	assert.Empty(t, summary.Notes())
}

func TestLogThatEndsWithinCompressedDataIsReadUpToThere(t *testing.T) {
	whole := compressed(t, list+"\n"+rejected+"\n")
	events, summary := readEvents(t, string(whole[:len(whole)-8])) // without its checksum
	assert.Len(t, events, 2)
	assert.Equal(t, []string{"audit.log: the log is truncated after line 2: unexpected EOF."}, summary.Notes())
}

func TestInputThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	_, err := ReadEvents("audit.log", iotest.ErrReader(broken), func(*Request) error { return nil })
	require.ErrorIs(t, err, broken)
	_, err = ReadEvents("audit.log", strings.NewReader("\x1f\x8bno gzip, though it begins like it"), func(*Request) error { return nil })
	require.ErrorIs(t, err, gzip.ErrHeader)
}

// The library's own backend writes the form that ReadEvents reads.
func TestLogOfTheLibraryIsRead(t *testing.T) {
	var log bytes.Buffer
	backend := auditlog.NewBackend(&log, auditlog.FormatJson, auditv1.SchemeGroupVersion)
	received := at("2026-11-22T10:00:00Z")
	written := &auditinternal.Event{
		Level: auditinternal.LevelRequestResponse, AuditID: "1", Stage: auditinternal.StageResponseComplete,
		RequestURI: "/apis/apps/v1/namespaces/a/deployments/web/scale", Verb: "update",
		User:           authnv1.UserInfo{Username: "alice", Groups: []string{"devs"}},
		ObjectRef:      &auditinternal.ObjectReference{Resource: "deployments", Namespace: "a", Name: "web", APIGroup: "apps", APIVersion: "v1", Subresource: "scale"},
		ResponseStatus: &metav1.Status{Code: 200},
		RequestObject:  &runtime.Unknown{Raw: []byte(`{"spec":{"replicas":3}}`), ContentType: runtime.ContentTypeJSON},

		RequestReceivedTimestamp: metav1.NewMicroTime(received), StageTimestamp: metav1.NewMicroTime(received.Add(time.Second)),
		Annotations: map[string]string{
			filter.FlowSchemaAnnotation: "devs", filter.PriorityLevelAnnotation: "work", filter.FlowDistinguisherAnnotation: "alice",
			filter.SeatsAnnotation: "3", filter.QueueWaitAnnotation: "250ms", filter.OutcomeAnnotation: filter.Executed,
		},
	}
	require.True(t, backend.ProcessEvents(written, written))
	events, summary := readEvents(t, log.String())
	assert.Empty(t, summary.Notes())
	require.Len(t, events, 2)
	got := events[1]
	assert.Equal(t, flow.Attributes{
		User: "alice", Groups: []string{"devs"}, Verb: "update", IsResourceRequest: true, APIGroup: "apps", APIVersion: "v1",
		Resource: "deployments", Subresource: "scale", Namespace: "a", Name: "web",
	}, got.Attributes())
	assert.True(t, got.Annotated)
	assert.Equal(t, []string{"devs", "work", "alice", ""}, []string{got.FlowSchema, got.PriorityLevel, got.Distinguisher, got.Rejected})
	assert.Equal(t, &trace.Seats{Initial: 3}, got.Seats)
	assert.Equal(t, 750*time.Millisecond, got.Executed())
}

func FuzzEventsNeverPanic(f *testing.F) {
	for _, line := range []string{list, slow, rejected, annotated, probe} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		summary, err := ReadEvents("audit.log", strings.NewReader(line), func(r *Request) error {
			_, _, _ = r.Governed(), r.OtherRejection(), r.Executed()
			return nil
		})
		if err == nil && summary.Requests == 0 {
			t.Error("no request and no error")
		}
	})
}
