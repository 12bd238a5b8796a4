package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/auditlines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

const (
	schemaUID  = "6a1bd6f1-3a7d-4c3e-9d60-1f2b44e8a001"
	levelUID   = "6a1bd6f1-3a7d-4c3e-9d60-1f2b44e8a002"
	deletedUID = "6a1bd6f1-3a7d-4c3e-9d60-1f2b44e8a003"
)

func existing() configuration.Configuration {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "probes", UID: schemaUID}}
	schema.Spec.PriorityLevelConfiguration.Name = "system"
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "system", UID: levelUID}}
	return configuration.Configuration{FlowSchemas: []*flowcontrolv1.FlowSchema{schema}, PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{level}}
}

func TestUIDsAreReadFromResponsesAsToolsPrintThem(t *testing.T) {
	want := []string{schemaUID, levelUID}
	for name, response := range map[string]string{
		"curl -i": "HTTP/2 200\r\nx-kubernetes-pf-flowschema-uid: " + schemaUID + "\r\nx-kubernetes-pf-prioritylevel-uid: " + levelUID + "\r\n\r\n{}",
		"curl -v": "< HTTP/2 200\n< X-Kubernetes-PF-FlowSchema-UID: " + schemaUID + "\n< X-Kubernetes-PF-PriorityLevel-UID: " + levelUID + "\n",
		"kubectl -v=8": "I1122 12:00:00.000000   1 round_trippers.go:584]     X-Kubernetes-Pf-Flowschema-Uid: " + schemaUID + "\n" +
			"I1122 12:00:00.000000   1 round_trippers.go:584]     X-Kubernetes-Pf-Prioritylevel-Uid: " + levelUID + "\n",
		"structured logs of kubectl -v=8": "\"Response\" status=\"200 OK\" headers=<\n\tX-Kubernetes-Pf-Flowschema-Uid: " + schemaUID + "\n\tX-Kubernetes-Pf-Prioritylevel-Uid: " + levelUID + "\n >",
		"JSON":                            `{"X-Kubernetes-Pf-Flowschema-Uid":["` + schemaUID + `"],"X-Kubernetes-Pf-Prioritylevel-Uid":["` + levelUID + `"]}`,
		"both twice":                      strings.Repeat("X-Kubernetes-PF-FlowSchema-UID: "+schemaUID+"\nX-Kubernetes-PF-PriorityLevel-UID: "+levelUID+"\n", 2),
	} {
		t.Run(name, func(t *testing.T) {
			uids, notes, err := UIDs(strings.NewReader(response))
			require.NoError(t, err)
			assert.Equal(t, want, uids)
			assert.Empty(t, notes)
		})
	}
	for _, response := range []string{
		"HTTP/2 200\n\n{}",
		"HTTP/2 200\nX-Kubernetes-Pf-Flowschema-Uid: \nX-Kubernetes-Pf-Prioritylevel-Uid: \r\nDate: today\n\n{}",
		`{"X-Kubernetes-Pf-Flowschema-Uid": [""], "Date": ["today"]}`,
	} {
		_, _, err := UIDs(strings.NewReader(response))
		assert.ErrorContains(t, err, "curl -i", response)
	}
}

// client-go logs a request that it repeats, whoever answered 429.
func TestUIDsAreReadFromLinesOfClients(t *testing.T) {
	for _, line := range []string{
		`I1127 10:00:00.000000 1 request.go:655] Waited for 1.0s, request: GET:https://10.0.0.1/api/v1/pods - retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: "` + schemaUID + `"`,
		`{"msg":"Waited before sending request","reason":"retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: \"` + schemaUID + `\""}`,
	} {
		uids, _, err := UIDs(strings.NewReader(line))
		require.NoError(t, err, line)
		assert.Equal(t, []string{schemaUID}, uids)
	}
}

func TestA429OfAHandlerIsNamed(t *testing.T) {
	_, notes, err := UIDs(strings.NewReader("HTTP/2 429\r\nretry-after: 1\r\nx-kubernetes-pf-flowschema-uid: " + schemaUID + "\r\n\r\n" +
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"storage is (re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}`))
	require.NoError(t, err)
	_, _, err = UIDs(strings.NewReader(`{"kind":"Status","message":"storage is (re)initializing","code":429}`))
	require.EqualError(t, err, `"storage is (re)initializing": a handler of the API server answered 429, not flow control. So no object rejected the request`)
	assert.Equal(t, []string{`"storage is (re)initializing": a handler of the API server answered 429, not flow control. The objects are those that admitted the request.`}, notes)
}

// log is an audit log of what happened to objects, and a line that is no event.
func log() string {
	of := func(minute int, verb, user, resource, name, uid string, code int32, response string) string {
		return auditlines.Of(verb, "/", user, time.Duration(minute)*time.Minute, func(e *auditv1.Event) {
			e.ObjectRef = &auditv1.ObjectReference{Resource: resource, Name: name, UID: types.UID(uid), APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1"}
			e.ResponseStatus.Code = code
			if response != "" {
				e.Level, e.ResponseObject = auditv1.LevelRequestResponse, &runtime.Unknown{Raw: []byte(response)}
			}
			if verb == "delete" && code == 200 {
				e.ImpersonatedUser = &authenticationv1.UserInfo{Username: "carol"}
			}
			if resource == "pods" {
				e.ObjectRef.APIGroup = ""
			}
		})
	}
	return strings.Join([]string{
		of(0, "create", "alice", "flowschemas", "probes", "", 201, `{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"probes","uid":"`+deletedUID+`"}}`),
		"not an event",
		of(30, "update", "alice", "prioritylevelconfigurations", "batch", "uid-of-batch", 200, ""),
		of(60, "delete", "bob", "flowschemas", "probes", "", 200, `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"probes","kind":"flowschemas","uid":"`+deletedUID+`"}}`),
		of(90, "list", "alice", "flowschemas", "", "", 200, `{"kind":"FlowSchemaList","items":[{"metadata":{"name":"listed","uid":"uid-of-listed"}}]}`),
		of(100, "delete", "bob", "flowschemas", "kept", "uid-of-kept", 403, ""),
		of(110, "create", "alice", "pods", "web", "uid-of-pod", 201, ""),
	}, "\n")
}

// historyOf reads an audit log.
func historyOf(t *testing.T, text string) *History {
	t.Helper()
	history := &History{}
	summary, err := logs.ReadAuditEvents("a.log", strings.NewReader(text), history.Add)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.log: 1 of 7 lines are skipped; line 2 is not an audit.k8s.io/v1 Event."}, summary.Notes())
	return history
}

func TestObjectsAreFoundInTheConfigurationAndInTheAuditLog(t *testing.T) {
	history := historyOf(t, log())
	at := func(hour, minute int) *time.Time {
		time := time.Date(2026, 11, 22, hour, minute, 0, 0, time.UTC)
		return &time
	}
	for name, c := range map[string]struct {
		uid  string
		want Object
	}{
		"a flow schema":    {schemaUID, Object{Kind: FlowSchemaKind, Name: "probes", PriorityLevel: "system", State: Current, Message: `FlowSchema "probes" exists.`}},
		"a priority level": {levelUID, Object{Kind: PriorityLevelKind, Name: "system", State: Current, Message: `PriorityLevelConfiguration "system" exists.`}},
		"a deleted flow schema that was created again": {deletedUID, Object{
			Kind: FlowSchemaKind, Name: "probes", State: Deleted, LastSeen: at(11, 0), Deleted: at(11, 0), DeletedBy: "carol", ReplacedBy: schemaUID,
			Message: `FlowSchema "probes" was deleted at 2026-11-22T11:00:00Z by carol. Another of the same name exists.`,
		}},
		"a priority level that only an object reference names": {"uid-of-batch", Object{
			Kind: PriorityLevelKind, Name: "batch", State: Former, LastSeen: at(10, 30),
			Message: `PriorityLevelConfiguration "batch" does not exist any more; the audit log mentions it last at 2026-11-22T10:30:00Z.`,
		}},
		"an object of a list": {"uid-of-listed", Object{
			Kind: FlowSchemaKind, Name: "listed", State: Former, LastSeen: at(11, 30),
			Message: `FlowSchema "listed" does not exist any more; the audit log mentions it last at 2026-11-22T11:30:00Z.`,
		}},
		"an object whose deletion was forbidden": {"uid-of-kept", Object{
			Kind: FlowSchemaKind, Name: "kept", State: Former, LastSeen: at(11, 40),
			Message: `FlowSchema "kept" does not exist any more; the audit log mentions it last at 2026-11-22T11:40:00Z.`,
		}},
		"a UID that never was": {"uid-of-nothing", Object{
			State: NotFound, Message: `No flow schema and no priority level has the UID "uid-of-nothing", and the audit log mentions none that had it.`,
		}},
		"the UID of another kind": {"uid-of-pod", Object{
			State: NotFound, Message: `No flow schema and no priority level has the UID "uid-of-pod", and the audit log mentions none that had it.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.UID = c.uid
			found := FindUIDs([]string{c.uid}, existing(), history)
			require.Len(t, found, 1)
			for _, instant := range []*time.Time{found[0].LastSeen, found[0].Deleted} {
				if instant != nil {
					*instant = instant.UTC()
				}
			}
			assert.Equal(t, c.want, found[0])
		})
	}
}

func TestWithoutAnAuditLogAnUnknownUIDHasOneSentence(t *testing.T) {
	found := FindUIDs([]string{schemaUID, "uid-of-nothing"}, existing(), nil)
	require.Len(t, found, 2)
	assert.Equal(t, "probes", found[0].Name)
	assert.Equal(t, `No flow schema and no priority level has the UID "uid-of-nothing" now; an audit log shows whether one had it.`, found[1].Message)

	var out strings.Builder
	require.NoError(t, found.WriteTable(&out, table.Options{}))
	assert.Equal(t, `UID                                   KIND        NAME    PRIORITY LEVEL  STATE
6a1bd6f1-3a7d-4c3e-9d60-1f2b44e8a001  FlowSchema  probes  system          current
uid-of-nothing                        -           -       -               notFound
No flow schema and no priority level has the UID "uid-of-nothing" now; an audit log shows whether one had it.
`, out.String())
}

func TestObjectsWithoutAUIDAreNotFound(t *testing.T) {
	c := existing()
	c.FlowSchemas[0].UID = ""
	assert.Equal(t, NotFound, FindUIDs([]string{""}, c, nil)[0].State)
}
