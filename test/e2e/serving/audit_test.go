package serving

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// audited and unaudited are users in the policies below.
const audited, unaudited = "audited", "unaudited"

// levelsPolicy uses each audit level, by user and verb.
const levelsPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [` + unaudited + `]
- level: RequestResponse
  users: [` + audited + `]
  verbs: [create]
- level: Metadata
  users: [` + audited + `, ` + audited + `-less]
- level: None
`

// strictPolicy audits one user before requests are carried out, and nothing else.
const strictPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseComplete]
rules:
- level: Metadata
  users: [` + audited + `]
- level: None
`

// batchSize is the number of events in a batch.
const batchSize = 2

// auditLog is the file of a server's audit events.
type auditLog struct{ path string }

func newAuditLog(t *testing.T) auditLog {
	t.Helper()
	return auditLog{filepath.Join(t.TempDir(), "audit.log")}
}

// auditArgs returns the flags of a server that audits to both back ends. The
// webhook's batches are sent when they are full.
func auditArgs(t *testing.T, log auditLog, webhook *receiver) []string {
	t.Helper()
	return []string{
		"--audit-policy-file=" + fileOf(t, "policy.yaml", levelsPolicy),
		"--audit-log-path=" + log.path,
		"--audit-webhook-config-file=" + webhook.kubeconfig(t),
		"--audit-webhook-batch-max-size=2", "--audit-webhook-batch-max-wait=24h", "--audit-webhook-batch-throttle-enable=false",
	}
}

// read returns the complete events so far.
func (l auditLog) read(a *eventually.Attempt) []auditv1.Event {
	content, err := os.ReadFile(l.path)
	require.NoError(a, err)
	var events []auditv1.Event
	for _, text := range bytes.SplitAfter(content, []byte("\n")) {
		if !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		var e auditv1.Event
		require.NoError(a, json.Unmarshal(text, &e))
		events = append(events, e)
	}
	return events
}

// gist has the fields of an event that the tests compare.
type gist struct {
	user, verb, name  string
	level             auditv1.Level
	code              int32
	request, response bool // whether the object is in the event
}

func gists(events []auditv1.Event) []gist {
	var all []gist
	for _, e := range events {
		all = append(all, gist{e.User.Username, e.Verb, e.ObjectRef.Name, e.Level, e.ResponseStatus.Code, e.RequestObject != nil, e.ResponseObject != nil})
	}
	return all
}

// testPolicy sends requests in sequence. The unaudited user comes first, so that
// an unwanted event would precede the others.
func (s *site) testPolicy(t *testing.T, log auditLog) {
	for _, user := range []string{unaudited, audited, audited + "-less"} {
		require.Equal(t, http.StatusCreated, s.askAs(t, user, http.MethodPost, levelsPath, levelNamed("by-"+user)).Code)
	}
	require.Equal(t, http.StatusOK, s.askAs(t, audited, http.MethodGet, levelsPath+"/by-"+audited, "").Code)
	require.Equal(t, http.StatusNotFound, s.askAs(t, audited, http.MethodDelete, levelsPath+"/nothing", "").Code)

	var events []auditv1.Event
	eventually.Holds(t, "the log has the last event", func(a *eventually.Attempt) {
		events = log.read(a)
		require.Contains(a, gists(events), gist{audited, "delete", "nothing", auditv1.LevelMetadata, http.StatusNotFound, false, false})
	})
	require.ElementsMatch(t, []gist{
		{audited, "create", "by-" + audited, auditv1.LevelRequestResponse, http.StatusCreated, true, true},
		{audited + "-less", "create", "by-" + audited + "-less", auditv1.LevelMetadata, http.StatusCreated, false, false},
		{audited, "get", "by-" + audited, auditv1.LevelMetadata, http.StatusOK, false, false},
		{audited, "delete", "nothing", auditv1.LevelMetadata, http.StatusNotFound, false, false},
	}, gists(events))
	require.Contains(t, string(events[0].ResponseObject.Raw), `"uid"`, "the response's object is what was stored")
}

// testReviewIsAudited asks who a user is.
func (s *site) testReviewIsAudited(t *testing.T, log auditLog) {
	require.Equal(t, http.StatusCreated, s.askAs(t, audited, http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}").Code)
	eventually.Holds(t, "the log has the review", func(a *eventually.Attempt) {
		events := log.read(a)
		last := events[len(events)-1]
		require.Equal(a, &auditv1.ObjectReference{APIGroup: "authentication.k8s.io", APIVersion: "v1", Resource: "selfsubjectreviews"}, last.ObjectRef)
		require.Equal(a, gist{audited, "create", "", auditv1.LevelRequestResponse, http.StatusCreated, true, true}, gists([]auditv1.Event{last})[0])
		require.Contains(a, string(last.ResponseObject.Raw), `"username":"`+audited+`"`)
	})
}

// testBatches requires that the webhook receives the events of the log.
func testBatches(t *testing.T, log auditLog, webhook *receiver) {
	var logged, sent []auditv1.Event
	eventually.Holds(t, "the log has the events", func(a *eventually.Attempt) {
		logged = log.read(a)
		require.Len(a, logged, 2*batchSize)
	})
	for range 2 {
		batch := webhook.next(t)
		require.Len(t, batch, batchSize)
		sent = append(sent, batch...)
	}
	require.ElementsMatch(t, gists(logged), gists(sent))
}

// testAuditIsWaitedFor delays the webhook's answer: the request is not carried out
// until it arrives.
func (s *site) testAuditIsWaitedFor(t *testing.T, audit *receiver) {
	answered := make(chan harness.Reply, 1)
	go func() {
		answer, err := harness.Send(t.Context(), s.strangers, http.MethodPost, s.URL+levelsPath, levelNamed("waited-for"), "Authorization: Bearer "+audited)
		if err != nil {
			answer.Body = err.Error()
		}
		answered <- answer
	}()
	require.Equal(t, auditv1.StageRequestReceived, audit.next(t)[0].Stage)
	require.Equal(t, http.StatusNotFound, s.ask(t, http.MethodGet, levelsPath+"/waited-for", "").Code)
	audit.answers <- struct{}{}
	answer := <-answered
	require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
}

// testAuditIsDemanded makes the webhook reject every attempt to send the event.
func (s *site) testAuditIsDemanded(t *testing.T, audit *receiver) {
	close(audit.answers)
	answer := s.askAs(t, audited, http.MethodPost, levelsPath, levelNamed("never"))
	require.Equal(t, http.StatusInternalServerError, answer.Code, answer.Body)
	require.Contains(t, answer.Body, "failed to store audit event")
	require.Equal(t, levelsPath, audit.next(t)[0].RequestURI)
	require.Equal(t, http.StatusNotFound, s.ask(t, http.MethodGet, levelsPath+"/never", "").Code)
}
