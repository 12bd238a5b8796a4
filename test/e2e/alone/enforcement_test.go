package alone

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// as reads a schema as a user.
func (l *live) as(ctx context.Context, user, name string) (harness.Reply, error) {
	return harness.Send(ctx, anonymousClient(), http.MethodGet, l.URL+v1Path+"/flowschemas/"+name, "", "Authorization: Bearer "+user)
}

// mustAs reads the schema catch-all as a user.
func (l *live) mustAs(t *testing.T, user string) harness.Reply {
	t.Helper()
	answer, err := l.as(t.Context(), user, "catch-all")
	require.NoError(t, err)
	return answer
}

// begin sends a request of a user and returns a channel for its answer.
func (l *live) begin(ctx context.Context, user, name string) <-chan harness.Reply {
	answers := make(chan harness.Reply, 1)
	go func() {
		answer, err := l.as(ctx, user, name)
		if err != nil {
			answer.Body = err.Error()
		}
		answers <- answer
	}()
	return answers
}

// hold sends a request of a user that keeps its seat. A request that was just
// answered may still occupy a seat, so hold retries after a rejection.
func (l *live) hold(t *testing.T, user string) (answers <-chan harness.Reply) {
	t.Helper()
	ctx := t.Context() // the request outlives the attempt
	eventually.Holds(t, "a request of "+user+" is held", func(a *eventually.Attempt) {
		answers = l.begin(ctx, user, holdPrefix+"1")
		select {
		case <-l.gate.arrived:
		case answer := <-answers:
			require.Fail(a, "it was answered", "%d: %s", answer.Code, answer.Body)
		case <-a.Context().Done():
			require.Fail(a, "it did not come through")
		}
	})
	return answers
}

// waitGoverned waits until a schema and a level govern the requests of the user.
func (l *live) waitGoverned(t *testing.T, user string, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	eventually.Holds(t, user+" is governed by "+schema.Name+" and "+level.Name, func(a *eventually.Attempt) {
		answer, err := l.as(a.Context(), user, "catch-all")
		require.NoError(a, err)
		require.Equal(a, [2]string{string(schema.UID), string(level.UID)}, governors(answer))
	})
}

// govern creates a schema and a level with the name of the user, removed when the
// test ends. It waits until they govern the user's requests.
func (l *live) govern(t *testing.T, user string) (*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	l.removeAfter(t, user)
	level := l.createLevel(t, objects.LevelOf(user, 1))
	schema := l.createSchema(t, objects.SchemaOf(user, user))
	l.waitGoverned(t, user, schema, level)
	return schema, level
}

// governors returns the UIDs of the schema and level that governed a request.
func governors(answer harness.Reply) [2]string {
	return [2]string{answer.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), answer.Header.Get("X-Kubernetes-PF-PriorityLevel-UID")}
}

func (l *live) builtIn(t *testing.T, schema, level string) (*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	foundSchema, err := l.schemas().Get(t.Context(), schema, metav1.GetOptions{})
	require.NoError(t, err)
	foundLevel, err := l.levels().Get(t.Context(), level, metav1.GetOptions{})
	require.NoError(t, err)
	return foundSchema, foundLevel
}

func testFullLevel(t *testing.T, g *live) {
	schema, level := g.govern(t, "full")
	held := g.hold(t, "full")
	rejected := g.mustAs(t, "full")
	require.Equal(t, http.StatusTooManyRequests, rejected.Code, rejected.Body)
	seconds, err := strconv.Atoi(rejected.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, seconds)
	require.Equal(t, [2]string{string(schema.UID), string(level.UID)}, governors(rejected))
	review, err := harness.Send(t.Context(), anonymousClient(), http.MethodPost, g.URL+"/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Authorization: Bearer full")
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, review.Code, "a self-review is a request as others are: %s", review.Body)
	require.Equal(t, governors(rejected), governors(review))
	eventually.Holds(t, "both rejections are counted", func(a *eventually.Attempt) {
		const family = "apiserver_flowcontrol_rejected_requests_total"
		metrics, err := harness.Send(a.Context(), g.http, http.MethodGet, g.URL+"/metrics", "")
		require.NoError(a, err)
		counts, err := scrape.Parse(metrics.Body, family)
		require.NoError(a, err)
		require.GreaterOrEqual(a, counts.Sum(family, `flow_schema="full"`, `priority_level="full"`, `reason="concurrency-limit"`), 2.0)
	})

	g.requireExplained(t, "full", "concurrency-limit")

	// Other users are not affected, and the administrator never is.
	everybody, globalDefault := g.builtIn(t, "global-default", "global-default")
	other := g.mustAs(t, "other")
	require.Equal(t, http.StatusOK, other.Code)
	require.Equal(t, [2]string{string(everybody.UID), string(globalDefault.UID)}, governors(other))
	exempt, exemptLevel := g.builtIn(t, "exempt", "exempt")
	require.Equal(t, [2]string{string(exempt.UID), string(exemptLevel.UID)}, governors(g.do(t, http.MethodGet, v1Path+"/flowschemas", "")))

	// Flow control uses the impersonated user.
	impersonated := g.do(t, http.MethodGet, v1Path+"/flowschemas/catch-all", "", "Impersonate-User: full")
	require.Equal(t, http.StatusTooManyRequests, impersonated.Code)
	require.Equal(t, governors(rejected), governors(impersonated))

	g.gate.open(t)
	done := received(t, "the answer", held)
	require.Equal(t, http.StatusNotFound, done.Code, done.Body)
	require.Equal(t, governors(rejected), governors(done))
	eventually.Holds(t, "the seat is free again", func(a *eventually.Attempt) {
		answer, err := g.as(a.Context(), "full", "catch-all")
		require.NoError(a, err)
		require.Equal(a, http.StatusOK, answer.Code)
	})
}

// requireExplained requires that the server tells in every way why it rejects the requests of a user,
// who may read FlowSchemas, whose flow is theirs, and whose schema and level have their name.
func (l *live) requireExplained(t *testing.T, user, reason string) {
	t.Helper()
	var rejected harness.Reply
	eventually.Holds(t, "the rejection is explained", func(a *eventually.Attempt) {
		var err error
		rejected, err = l.as(a.Context(), user, "catch-all")
		require.NoError(a, err)
		require.Equal(a, http.StatusTooManyRequests, rejected.Code)
		var status metav1.Status
		require.NoError(a, json.Unmarshal([]byte(rejected.Body), &status), rejected.Body)
		require.Equal(a, []metav1.StatusCause{
			{Type: "FlowSchema", Message: user}, {Type: "PriorityLevel", Message: user}, {Type: "RejectionReason", Message: reason},
		}, status.Details.Causes)
	})
	annotations := auditEvent(t, l.auditLog, rejected).Annotations
	for key, want := range map[string]string{"flow-schema": user, "priority-level": user, "flow-distinguisher": user, "seats": "1", "queue-wait": "0s", "outcome": reason} {
		require.Equal(t, want, annotations["apf.flowcontrol-apiserver.io/"+key], key)
	}
	for endpoint, want := range map[string]string{"top_flows": "flowDistinguisher", "rejections": "userName"} {
		shown := l.do(t, http.MethodGet, "/debug/api_priority_and_fairness/"+endpoint, "", "Accept: application/json").Body
		require.Regexp(t, `"priorityLevelName": *"`+user+`"`, shown)
		require.Regexp(t, `"`+want+`": *"`+user+`"`, shown)
	}
}
