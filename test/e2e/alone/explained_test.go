package alone

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	// reader is a user who may get all FlowSchemas. A guest may get them by name only.
	reader, guest = "reader", "guest"
	// narrow is the name of a level with one seat and room for one waiting request,
	// and of the FlowSchema of reader and guest.
	narrow = "narrow"
	// heldPath is the path of a request that executes until the test releases it.
	heldPath  = v1Path + "/flowschemas/held"
	otherPath = v1Path + "/flowschemas/catch-all"

	debugPath  = "/debug/api_priority_and_fairness/"
	acceptJSON = "Accept: application/json"

	// everythingPolicy audits every response.
	everythingPolicy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"
)

// authorizationWebhook decides about reader and guest.
type authorizationWebhook struct {
	file string
	// held receives when the request for heldPath is reviewed, which lasts until
	// release is closed.
	held, release chan struct{}
	// rejected receives for each review of a guest that wants to get all FlowSchemas.
	rejected chan struct{}
}

func newAuthorizationWebhook(t *testing.T) *authorizationWebhook {
	t.Helper()
	h := &authorizationWebhook{held: make(chan struct{}, 1), release: make(chan struct{}), rejected: make(chan struct{}, 100)}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.file = fileOf(t, "authorization.yaml", "apiVersion: v1\nkind: Config\nclusters: [{name: test, cluster: {server: '"+server.URL+
		"'}}]\ncontexts: [{name: test, context: {cluster: test}}]\ncurrent-context: test\n")
	return h
}

// ServeHTTP answers a review.
func (h *authorizationWebhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Status.Allowed = true
	if resource := review.Spec.ResourceAttributes; resource != nil {
		switch {
		case strings.HasSuffix(heldPath, "/"+resource.Name):
			h.held <- struct{}{}
			select {
			case <-h.release:
			case <-r.Context().Done():
			}
		case resource.Name == "" && review.Spec.User == guest:
			h.rejected <- struct{}{}
			review.Status.Allowed = false
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// TestServerThatExplains fills a level and asks in every way what flow control did.
func TestServerThatExplains(t *testing.T) {
	t.Parallel()
	log, webhook := filepath.Join(t.TempDir(), "audit.log"), newAuthorizationWebhook(t)
	s := startSite(t, nil,
		"--token-auth-file="+fileOf(t, "tokens.csv", reader+","+reader+","+reader+"\n"+guest+","+guest+","+guest+"\n"),
		"--authorization-webhook-config-file="+webhook.file, "--authorization-webhook-version=v1",
		"--audit-policy-file="+fileOf(t, "policy.yaml", everythingPolicy), "--audit-log-path="+log,
		"--max-requests-inflight=10", "--max-mutating-requests-inflight=10", // one seat is the level's
		"--request-timeout=10m", // a request waits for up to a minute
		"--vmodule=httplog=3",
	)
	s.narrow(t)

	held := s.sendAs(t.Context(), reader, heldPath)
	eventually.Holds(t, "a request executes", func(a *eventually.Attempt) { require.Len(a, webhook.held, 1) })
	queued := s.sendAs(t.Context(), guest, otherPath)
	eventually.Holds(t, "a request waits", func(a *eventually.Attempt) {
		require.Contains(a, s.metrics(a), `apiserver_flowcontrol_current_inqueue_requests{flow_schema="`+narrow+`",priority_level="`+narrow+`"} 1`)
	})
	t.Run("a rejection is explained to those who may read flow schemas", s.testExplained)
	t.Run("a rejection is not explained to others", func(t *testing.T) { s.testUnexplained(t, webhook) })
	close(webhook.release)
	require.Equal(t, http.StatusNotFound, (<-held).Code)
	require.Equal(t, http.StatusOK, (<-queued).Code)

	t.Run("audit events say what flow control did", func(t *testing.T) { s.testAnnotations(t, log) })
	t.Run("the heaviest flows are named", s.testTopFlows)
	t.Run("rejections are remembered", s.testRejections)
	t.Run("httplog alone logs what flow control did", func(t *testing.T) {
		require.NoError(t, s.Process.WaitOutput(t.Context(), `apf_pl="`+narrow+`"`))
	})
}

// narrow creates the level and the FlowSchema, and waits until they are in force.
func (s *site) narrow(t *testing.T) {
	level := objects.LevelOf(narrow, 1)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 1},
	}
	level = s.createLevel(t, level)
	schema := objects.SchemaOf(reader, narrow)
	schema.Name = narrow
	schema.Spec.Rules[0].Subjects = append(schema.Spec.Rules[0].Subjects,
		flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: guest}})
	s.createSchema(t, schema)
	eventually.Holds(t, "the level governs both users", func(a *eventually.Attempt) {
		for _, user := range []string{reader, guest} {
			answer, err := s.getAs(a.Context(), user, otherPath)
			require.NoError(a, err)
			require.Equal(a, string(level.UID), answer.Header.Get("X-Kubernetes-PF-PriorityLevel-UID"))
		}
	})
}

// sendAs sends a request of a user and returns a channel for the answer.
func (s *site) sendAs(ctx context.Context, user, path string) <-chan harness.Reply {
	answers := make(chan harness.Reply, 1)
	go func() {
		answer, err := s.getAs(ctx, user, path)
		if err != nil {
			answer.Body = err.Error()
		}
		answers <- answer
	}()
	return answers
}

func (s *site) testExplained(t *testing.T) {
	eventually.Holds(t, "the authorizer has decided", func(a *eventually.Attempt) {
		answer, err := s.getAs(a.Context(), reader, otherPath)
		require.NoError(a, err)
		require.Equal(a, http.StatusTooManyRequests, answer.Code)
		require.NotEmpty(a, answer.Header.Get("Retry-After"))
		var status metav1.Status
		require.NoError(a, json.Unmarshal([]byte(answer.Body), &status), answer.Body)
		require.Equal(a, metav1.StatusReasonTooManyRequests, status.Reason)
		require.Equal(a, []metav1.StatusCause{
			{Type: "FlowSchema", Message: narrow}, {Type: "PriorityLevel", Message: narrow}, {Type: "RejectionReason", Message: "queue-full"},
		}, status.Details.Causes)
	})
}

func (s *site) testUnexplained(t *testing.T, webhook *authorizationWebhook) {
	const plain = "Too many requests, please try again later.\n" // kube-apiserver's, see pkg/apf/filter
	eventually.Holds(t, "the authorizer has decided", func(a *eventually.Attempt) {
		answer, err := s.getAs(a.Context(), guest, otherPath)
		require.NoError(a, err)
		require.Equal(a, http.StatusTooManyRequests, answer.Code)
		require.Equal(a, plain, answer.Body)
		require.NotEmpty(a, webhook.rejected)
	})
	answer, err := s.getAs(t.Context(), guest, otherPath)
	require.NoError(t, err)
	require.Equal(t, plain, answer.Body)
	require.NotEmpty(t, answer.Header.Get("Retry-After"))
}

// flowControlOf returns the annotations of flow control in an event.
func flowControlOf(e auditv1.Event) map[string]string {
	own := map[string]string{}
	for key, value := range e.Annotations {
		if short, ours := strings.CutPrefix(key, "apf.flowcontrol-apiserver.io/"); ours {
			own[short] = value
		}
	}
	return own
}

func (s *site) testAnnotations(t *testing.T, log string) {
	annotated := func(user, wait, outcome string) map[string]string {
		return map[string]string{
			"flow-schema": narrow, "priority-level": narrow, "flow-distinguisher": user, "seats": "1", "queue-wait": wait, "outcome": outcome,
		}
	}
	eventually.Holds(t, "the events are logged", func(a *eventually.Attempt) {
		var executed, queued, rejected, exempt bool
		for _, e := range auditEvents(a, log) {
			own := flowControlOf(e)
			switch {
			case e.RequestURI == heldPath:
				require.Equal(a, annotated(reader, "0s", "executed"), own)
				executed = true
			case e.User.Username == guest && own["outcome"] == "executed" && own["queue-wait"] != "0s":
				require.Equal(a, annotated(guest, own["queue-wait"], "executed"), own)
				queued = true
			case e.User.Username == reader && e.ResponseStatus.Code == http.StatusTooManyRequests:
				require.Equal(a, annotated(reader, "0s", "queue-full"), own)
				rejected = true
			case e.User.Username == "system:apiserver":
				require.Empty(a, own)
				exempt = true
			}
		}
		require.Equal(a, []bool{true, true, true, true}, []bool{executed, queued, rejected, exempt})
	})
}

// auditEvents returns the complete events in a file so far.
func auditEvents(a *eventually.Attempt, path string) (events []auditv1.Event) {
	content, err := os.ReadFile(path)
	require.NoError(a, err)
	for text := range strings.Lines(string(content)) {
		if !strings.HasSuffix(text, "\n") {
			break
		}
		var e auditv1.Event
		require.NoError(a, json.Unmarshal([]byte(text), &e))
		events = append(events, e)
	}
	return events
}

// rows returns the rows of the level in a debug endpoint.
func (s *site) rows(t *testing.T, endpoint string) (rows []map[string]any) {
	t.Helper()
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.do(t, http.MethodGet, debugPath+endpoint, "", acceptJSON).Body), &all))
	for _, row := range all {
		if row["priorityLevelName"] == narrow {
			rows = append(rows, row)
		}
	}
	return rows
}

func (s *site) testTopFlows(t *testing.T) {
	flows := s.rows(t, "top_flows")
	require.Len(t, flows, 2)
	require.ElementsMatch(t, []any{reader, guest}, []any{flows[0]["flowDistinguisher"], flows[1]["flowDistinguisher"]})
	for _, flow := range flows {
		require.Equal(t, narrow, flow["flowSchemaName"])
		require.Positive(t, flow["seatSeconds1m"])
		require.Zero(t, flow["error15m"])
	}
	require.Contains(t, s.do(t, http.MethodGet, debugPath+"top_flows", "").Body, "PriorityLevelName, FlowSchemaName,")
}

func (s *site) testRejections(t *testing.T) {
	rejections := s.rows(t, "rejections")
	require.Len(t, rejections, 2)
	for i, user := range []string{guest, reader} {
		require.Equal(t, user, rejections[i]["flowDistinguisher"], "the last comes first")
		require.Equal(t, user, rejections[i]["userName"])
		require.Equal(t, "queue-full", rejections[i]["reason"])
		require.Equal(t, "get", rejections[i]["verb"])
		require.Equal(t, otherPath, rejections[i]["path"])
		require.EqualValues(t, 0, rejections[i]["queue"])
		require.EqualValues(t, 1, rejections[i]["seats"])
		require.Positive(t, rejections[i]["count"])
	}
	metrics := s.do(t, http.MethodGet, "/metrics", "").Body
	require.Contains(t, metrics, `apf_rejected_flows{priority_level="`+narrow+`"} 2`)
	require.Contains(t, metrics, `apf_heaviest_flow_seat_share{priority_level="`+narrow+`"} 0.`)
}
