package logs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authnv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	auditlog "k8s.io/apiserver/plugin/pkg/audit/log"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Lines as kube-apiserver 1.33 writes them.
const (
	list = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a001","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/team-a/pods?limit=500","verb":"list","user":{"username":"alice","groups":["devs","system:authenticated"]},"sourceIPs":["10.0.0.7"],"userAgent":"kubectl/v1.33.0","objectRef":{"resource":"pods","namespace":"team-a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2026-11-22T10:00:00.000000Z","stageTimestamp":"2026-11-22T10:00:00.250000Z","annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}`
	slow = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a002","stage":"ResponseComplete","requestURI":"/api/v1/namespaces","verb":"create","user":{"username":"admin","groups":["system:masters","system:authenticated"]},"impersonatedUser":{"username":"system:serviceaccount:ci:builder","groups":["system:serviceaccounts","system:serviceaccounts:ci","system:authenticated"]},"objectRef":{"resource":"namespaces","namespace":"made","name":"made","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},"requestObject":{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"made"}},"responseObject":{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"made"}},"requestReceivedTimestamp":"2026-11-22T10:00:01.000000Z","stageTimestamp":"2026-11-22T10:00:03.000000Z","annotations":{"apiserver.latency.k8s.io/apf-queue-wait":"1.5s","apiserver.latency.k8s.io/total":"2s"}}`
	// The plain text of a rejection leaves a Status with a code alone.
	rejected  = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a003","stage":"ResponseComplete","requestURI":"/apis/apps/v1/deployments","verb":"list","user":{"username":"bob","groups":["system:authenticated"]},"objectRef":{"resource":"deployments","apiGroup":"apps","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":429},"requestReceivedTimestamp":"2026-11-22T10:00:04.000000Z","stageTimestamp":"2026-11-22T10:00:04.001000Z"}`
	evicted   = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a004","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/team-a/pods/web-0/eviction","verb":"create","user":{"username":"bob","groups":["system:authenticated"]},"objectRef":{"resource":"pods","namespace":"team-a","name":"web-0","apiVersion":"v1","subresource":"eviction"},"responseStatus":{"metadata":{},"status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","code":429},"requestReceivedTimestamp":"2026-11-22T10:00:05.000000Z","stageTimestamp":"2026-11-22T10:00:05.010000Z"}`
	probe     = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a005","stage":"Panic","requestURI":"/readyz?verbose","verb":"get","user":{"username":"system:anonymous","groups":["system:unauthenticated"]},"responseStatus":{"metadata":{},"status":"Failure","message":"APIServer panic'd","reason":"InternalError","code":500},"requestReceivedTimestamp":"2026-11-22T10:00:06.000000Z","stageTimestamp":"2026-11-22T10:00:06.010000Z"}`
	received  = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a001","stage":"RequestReceived","requestURI":"/api/v1/pods","verb":"list","user":{"username":"alice"},"requestReceivedTimestamp":"2026-11-22T10:00:00.000000Z","stageTimestamp":"2026-11-22T10:00:00.000000Z"}`
	explained = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a007","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list","user":{"username":"bob","groups":["system:authenticated"]},"objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"metadata":{},"status":"Failure","reason":"TooManyRequests","details":{"causes":[{"reason":"FlowSchema","message":"users"},{"reason":"RejectionReason","message":"queue-full"}],"retryAfterSeconds":1},"code":429},"requestReceivedTimestamp":"2026-11-22T10:00:07.000000Z","stageTimestamp":"2026-11-22T10:00:07.001000Z"}`
	// A line of flowcontrol-apiserver.
	annotated = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a006","stage":"ResponseComplete","requestURI":"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas","verb":"list","user":{"username":"bob","groups":["system:authenticated"]},"objectRef":{"resource":"flowschemas","apiGroup":"flowcontrol.apiserver.k8s.io","apiVersion":"v1"},"responseStatus":{"metadata":{},"status":"Failure","reason":"TooManyRequests","code":429},"requestReceivedTimestamp":"2026-11-22T10:00:07.000000Z","stageTimestamp":"2026-11-22T10:00:22.000000Z","annotations":{"apf.flowcontrol-apiserver.io/flow-schema":"global-default","apf.flowcontrol-apiserver.io/priority-level":"global-default","apf.flowcontrol-apiserver.io/flow-distinguisher":"bob","apf.flowcontrol-apiserver.io/seats":"4","apf.flowcontrol-apiserver.io/queue-wait":"15s","apf.flowcontrol-apiserver.io/outcome":"time-out"}}`
)

func readEvents(t *testing.T, log string) ([]*Event, Summary) {
	t.Helper()
	var events []*Event
	summary, err := ReadEvents("audit.log", strings.NewReader(log), func(e *Event) error {
		events = append(events, e)
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
		want       Event
	}{
		{"a list has the attributes of its URI", list, Event{
			ID: "5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a001", URI: "/api/v1/namespaces/team-a/pods?limit=500", UserAgent: "kubectl/v1.33.0", Address: "10.0.0.7",
			Attributes: flow.Attributes{
				User: "alice", Groups: []string{"devs", "system:authenticated"}, Verb: "list", IsResourceRequest: true,
				APIVersion: "v1", Resource: "pods", Namespace: "team-a", Path: "/api/v1/namespaces/team-a/pods",
			},
			Received: at("2026-11-22T10:00:00Z"), Completed: at("2026-11-22T10:00:00.25Z"), Code: 200,
		}},
		{"an impersonated user is the one whom flow control sees, and the namespace of the created object is not", slow, Event{
			ID: "5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a002", URI: "/api/v1/namespaces",
			Attributes: flow.Attributes{
				User:   "system:serviceaccount:ci:builder",
				Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"},
				Verb:   "create", IsResourceRequest: true, APIVersion: "v1", Resource: "namespaces", Name: "made", Path: "/api/v1/namespaces",
			},
			Received: at("2026-11-22T10:00:01Z"), Completed: at("2026-11-22T10:00:03Z"), Code: 201,
			Wait: 1500 * time.Millisecond, WaitKnown: true,
		}},
		{"a path is no resource, and a panic is an event", probe, Event{
			ID: "5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a005", URI: "/readyz?verbose",
			Attributes: flow.Attributes{User: "system:anonymous", Groups: []string{"system:unauthenticated"}, Verb: "get", Path: "/readyz"},
			Received:   at("2026-11-22T10:00:06Z"), Completed: at("2026-11-22T10:00:06.01Z"),
			Code: 500, Reason: "InternalError",
		}},
		{"annotations of flowcontrol-apiserver tell everything", annotated, Event{
			ID: "5d0f4e3c-2d40-4c5e-9d15-1d53a4f0a006", URI: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
			Attributes: flow.Attributes{
				User: "bob", Groups: []string{"system:authenticated"}, Verb: "list", IsResourceRequest: true,
				APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1", Resource: "flowschemas",
				Path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
			},
			Received: at("2026-11-22T10:00:07Z"), Completed: at("2026-11-22T10:00:22Z"), Code: 429, Reason: "TooManyRequests",
			Wait: 15 * time.Second, WaitKnown: true,
			FlowControl: &FlowControl{
				FlowSchema: "global-default", PriorityLevel: "global-default", Distinguisher: "bob", Seats: 4, Outcome: "time-out",
			},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			require.Len(t, events, 1)
			events[0].Received, events[0].Completed = events[0].Received.UTC(), events[0].Completed.UTC()
			assert.Equal(t, &test.want, events[0])
		})
	}
}

func TestRequestWithATotalAndNoWaitDidNotWait(t *testing.T) {
	events, _ := readEvents(t, strings.Replace(slow, `"apiserver.latency.k8s.io/apf-queue-wait":"1.5s",`, "", 1)+"\n"+list)
	assert.True(t, events[0].WaitKnown)
	assert.Zero(t, events[0].Wait)
	assert.False(t, events[1].WaitKnown, "a short request may have waited")
}

func TestRejectedInEvents(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       bool
	}{
		{"a 429 without a reason is flow control's", rejected, true},
		{"a 429 with a reason is a handler's", evicted, false},
		{"a 429 with a cause of flow control is flow control's", explained, true},
		{"with annotations the outcome decides, not the reason", annotated, true},
		{"an outcome that is no reason is an execution", strings.Replace(annotated, `"time-out"`, `"executed"`, 1), false},
		{"a log that is cut off is not governed", strings.NewReplacer("/apis/apps/v1/deployments", "/api/v1/namespaces/a/pods/p/log").Replace(rejected), false},
		{"a success is none", list, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			require.Len(t, events, 1)
			assert.Equal(t, test.want, events[0].Rejected())
		})
	}
}

func TestReasonOfTheResponse(t *testing.T) {
	events, _ := readEvents(t, explained+"\n"+evicted)
	assert.Equal(t, "queue-full", events[0].RejectionReason)
	assert.Empty(t, events[1].RejectionReason)
}

func TestExecutedIsTheTimeWithoutTheQueue(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       time.Duration
	}{
		{"a wait does not count", slow, 500 * time.Millisecond},
		{"a rejected request does not execute", annotated, 0},
		{"the duration of a watch is not known", strings.Replace(list, `"verb":"list"`, `"verb":"watch"`, 1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, _ := readEvents(t, test.line)
			assert.Equal(t, test.want, events[0].Executed())
		})
	}
}

func TestLongRunningRequestsAreNotGoverned(t *testing.T) {
	for verb, governed := range map[string]bool{"get": true, "watch": true, "proxy": false} {
		e := Event{Attributes: flow.Attributes{Verb: verb, IsResourceRequest: true, Resource: "pods"}}
		assert.Equal(t, governed, e.Governed(), verb)
	}
	for _, subresource := range []string{"attach", "exec", "log", "portforward", "proxy"} {
		e := Event{Attributes: flow.Attributes{Verb: "get", IsResourceRequest: true, Resource: "pods", Subresource: subresource}}
		assert.False(t, e.Governed(), subresource)
	}
}

func TestBrokenLinesAreCountedAndTheFirstIsNamed(t *testing.T) {
	for _, test := range []struct{ name, line, why string }{
		{"a truncated line", list[:100], "is no JSON of an audit event: unexpected end of JSON input"},
		{"another kind", `{"kind":"Pod","apiVersion":"v1"}`, `has kind "Pod" and apiVersion "v1", must be Event and audit.k8s.io/v1`},
		{"an old version", strings.Replace(list, "audit.k8s.io/v1", "audit.k8s.io/v1beta1", 1), `has kind "Event" and apiVersion "audit.k8s.io/v1beta1", must be Event and audit.k8s.io/v1`},
		{"the format legacy", `2026-11-22T10:00:00Z AUDIT: id="1" stage="ResponseComplete"`, "is no JSON of an audit event: invalid character '-' after top-level value"},
		{"no verb", strings.Replace(list, `"verb":"list",`, "", 1), "has no verb"},
		{"a URI that is none", strings.Replace(list, "/api/v1/namespaces/team-a/pods?limit=500", "pods", 1), `has the requestURI "pods", must be a path`},
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
		{"a policy that omits the last stage", received, "audit.log: " + ErrNoEvents.Error()},
		{"another file", "apiVersion: v1\nkind: Pod\n", "audit.log: " + ErrNoEvents.Error() + "; line 1 is no JSON of an audit event: invalid character 'a' looking for beginning of value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadEvents("audit.log", strings.NewReader(test.log), func(*Event) error { return nil })
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
	_, err := ReadEvents("audit.log", iotest.ErrReader(broken), func(*Event) error { return nil })
	require.ErrorIs(t, err, broken)
	_, err = ReadEvents("audit.log", strings.NewReader("\x1f\x8bno gzip, though it begins like it"), func(*Event) error { return nil })
	require.ErrorIs(t, err, gzip.ErrHeader)
}

func TestErrorOfTheCallerEndsReading(t *testing.T) {
	enough := errors.New("enough")
	calls := 0
	_, err := ReadEvents("audit.log", strings.NewReader(list+"\n"+list), func(*Event) error {
		calls++
		return enough
	})
	require.ErrorIs(t, err, enough)
	assert.Equal(t, 1, calls)
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
	assert.Equal(t, flow.Attributes{
		User: "alice", Groups: []string{"devs"}, Verb: "update", IsResourceRequest: true, APIGroup: "apps", APIVersion: "v1",
		Resource: "deployments", Subresource: "scale", Namespace: "a", Name: "web", Path: "/apis/apps/v1/namespaces/a/deployments/web/scale",
	}, events[1].Attributes)
	assert.Equal(t, &FlowControl{FlowSchema: "devs", PriorityLevel: "work", Distinguisher: "alice", Seats: 3, Outcome: "executed"}, events[1].FlowControl)
	assert.Equal(t, 750*time.Millisecond, events[1].Executed())
	assert.False(t, events[1].Rejected())
}

func FuzzEventsNeverPanic(f *testing.F) {
	for _, line := range []string{list, slow, rejected, annotated, probe} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		summary, err := ReadEvents("audit.log", strings.NewReader(line), func(e *Event) error {
			_, _, _ = e.Governed(), e.Rejected(), e.Executed()
			return nil
		})
		if err == nil && summary.Requests == 0 {
			t.Error("no request and no error")
		}
	})
}
