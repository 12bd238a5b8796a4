package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// governed is a server with 30 seats, a gate, and the users tenant and other,
// whose tokens are their names.
type governed struct {
	*site
	gate *gate
}

func startGoverned(t *testing.T, etcd *harness.Etcd) governed {
	t.Helper()
	gate := newGate(t)
	tokens := filepath.Join(t.TempDir(), "tokens.csv")
	require.NoError(t, os.WriteFile(tokens, []byte("tenant,tenant,1\nother,other,2\n"), 0o600))
	return governed{gate: gate, site: startSite(t, etcd, append(gate.flags(), "--token-auth-file="+tokens,
		"--max-requests-inflight=20", "--max-mutating-requests-inflight=10")...)}
}

// as reads a schema as a user.
func (g governed) as(ctx context.Context, user, name string) (reply, error) {
	return trySend(ctx, anonymousClient(), http.MethodGet, g.URL+v1Path+"/flowschemas/"+name, "", "Authorization: Bearer "+user)
}

// mustAs reads the schema catch-all as a user.
func (g governed) mustAs(t *testing.T, user string) reply {
	t.Helper()
	answer, err := g.as(t.Context(), user, "catch-all")
	require.NoError(t, err)
	return answer
}

// begin sends a request of the tenant and returns where its answer will come.
func (g governed) begin(t *testing.T, name string) <-chan reply {
	t.Helper()
	answers := make(chan reply, 1)
	go func() {
		answer, err := g.as(t.Context(), "tenant", name)
		if err != nil {
			answer.body = err.Error()
		}
		answers <- answer
	}()
	return answers
}

// hold lets a request of the tenant hold its seat. A request that was answered just
// now may still have its own, so a refusal is tried again.
func (g governed) hold(t *testing.T) <-chan reply {
	t.Helper()
	deadline := time.After(grace)
	for answers := g.begin(t, holdPrefix+"1"); ; {
		select {
		case <-g.gate.arrived:
			return answers
		case answer := <-answers:
			require.Equal(t, http.StatusTooManyRequests, answer.code, answer.body)
			answers = g.begin(t, holdPrefix+"1")
		case <-deadline:
			t.Fatal("no request came through")
		}
	}
}

// waitGoverned waits until requests of the tenant are governed by a schema and
// a level.
func (g governed) waitGoverned(t *testing.T, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	eventually(t, "the tenant is governed by "+schema.Name+" and "+level.Name, func(ctx context.Context) (bool, error) {
		answer, err := g.as(ctx, "tenant", "catch-all")
		return err == nil && governors(answer) == [2]string{string(schema.UID), string(level.UID)}, err
	})
}

// governors are the UIDs of the schema and level that governed a request.
func governors(answer reply) [2]string {
	return [2]string{answer.header.Get("X-Kubernetes-PF-FlowSchema-UID"), answer.header.Get("X-Kubernetes-PF-PriorityLevel-UID")}
}

func answered(t *testing.T, answers <-chan reply) reply {
	t.Helper()
	select {
	case answer := <-answers:
		return answer
	case <-time.After(grace):
		t.Fatal("no answer came")
		return reply{}
	}
}

func (g governed) builtIn(t *testing.T, schema, level string) (*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	foundSchema, err := g.schemas().Get(t.Context(), schema, metav1.GetOptions{})
	require.NoError(t, err)
	foundLevel, err := g.levels().Get(t.Context(), level, metav1.GetOptions{})
	require.NoError(t, err)
	return foundSchema, foundLevel
}

func TestLevelThatIsFullRefuses(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := startGoverned(t, startStore(t))
			level := g.createLevel(t, newLevel("tenants", 1))
			schema := g.createSchema(t, newSchema("tenant", "tenants"))
			g.waitGoverned(t, schema, level)

			held := g.hold(t)
			refused := g.mustAs(t, "tenant")
			require.Equal(t, http.StatusTooManyRequests, refused.code, refused.body)
			seconds, err := strconv.Atoi(refused.header.Get("Retry-After"))
			require.NoError(t, err)
			require.Positive(t, seconds)
			require.Equal(t, [2]string{string(schema.UID), string(level.UID)}, governors(refused))
			g.requireMetric(t, `apiserver_flowcontrol_rejected_requests_total{flow_schema="tenant",priority_level="tenants",reason="concurrency-limit"}`, 1)

			// Nobody else is touched, and the administrator never.
			everybody, globalDefault := g.builtIn(t, "global-default", "global-default")
			other := g.mustAs(t, "other")
			require.Equal(t, http.StatusOK, other.code)
			require.Equal(t, [2]string{string(everybody.UID), string(globalDefault.UID)}, governors(other))
			exempt, exemptLevel := g.builtIn(t, "exempt", "exempt")
			require.Equal(t, [2]string{string(exempt.UID), string(exemptLevel.UID)}, governors(g.do(t, http.MethodGet, v1Path+"/flowschemas", "")))

			// Whom the administrator impersonates is governed as himself.
			impersonated := g.do(t, http.MethodGet, v1Path+"/flowschemas/catch-all", "", "Impersonate-User: tenant")
			require.Equal(t, http.StatusTooManyRequests, impersonated.code)
			require.Equal(t, governors(refused), governors(impersonated))

			g.gate.open(t)
			done := answered(t, held)
			require.Equal(t, http.StatusNotFound, done.code, done.body)
			require.Equal(t, governors(refused), governors(done))
			eventually(t, "the seat is free again", func(ctx context.Context) (bool, error) {
				answer, err := g.as(ctx, "tenant", "catch-all")
				return err == nil && answer.code == http.StatusOK, err
			})
		})
	}
}

func TestChangedConfigurationGovernsTheNextRequests(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, nil)
	level := g.createLevel(t, newLevel("tenants", 1))
	schema := g.createSchema(t, newSchema("tenant", "tenants"))
	g.waitGoverned(t, schema, level)
	held := g.hold(t)
	require.Equal(t, http.StatusTooManyRequests, g.mustAs(t, "tenant").code)

	// Another level for the schema, while a request holds the seat of the first.
	spacious := g.createLevel(t, newLevel("spacious", 200))
	g.patchSchema(t, "tenant", map[string]any{"spec": map[string]any{"priorityLevelConfiguration": map[string]any{"name": "spacious"}}})
	g.waitGoverned(t, schema, spacious)
	require.Equal(t, http.StatusOK, g.mustAs(t, "tenant").code)

	// An earlier schema for the same user.
	earlier := newSchema("earlier", "tenants")
	earlier.Spec.MatchingPrecedence = 499
	earlier.Spec.Rules[0].Subjects[0].User.Name = "tenant"
	earlier = g.createSchema(t, earlier)
	g.waitGoverned(t, earlier, level)

	// A schema without its level takes no part, and says so.
	require.NoError(t, g.levels().Delete(t.Context(), "tenants", metav1.DeleteOptions{}))
	g.waitDangling(t, "earlier", flowcontrolv1.ConditionTrue, "tenants")
	g.waitGoverned(t, schema, spacious)
	again := g.createLevel(t, newLevel("tenants", 100))
	g.waitDangling(t, "earlier", flowcontrolv1.ConditionFalse, "tenants")
	g.waitGoverned(t, earlier, again)

	// What began under the first configuration ends as it began.
	g.gate.open(t)
	require.Equal(t, [2]string{string(schema.UID), string(level.UID)}, governors(answered(t, held)))
}

func (s *site) waitDangling(t *testing.T, name string, status flowcontrolv1.ConditionStatus, level string) {
	t.Helper()
	eventually(t, name+" says Dangling="+string(status), func(ctx context.Context) (bool, error) {
		schema, err := s.schemas().Get(ctx, name, metav1.GetOptions{})
		if err != nil || dangling(schema) == nil || dangling(schema).Status != status {
			return false, err
		}
		reason := map[flowcontrolv1.ConditionStatus]string{flowcontrolv1.ConditionTrue: "NotFound", flowcontrolv1.ConditionFalse: "Found"}[status]
		require.Equal(t, reason, dangling(schema).Reason)
		require.Contains(t, dangling(schema).Message, strconv.Quote(level))
		require.Contains(t, owners(t, schema.ManagedFields, "f:status", "f:conditions"), "api-priority-and-fairness-config-consumer-v1 Apply status")
		return true, nil
	})
}

func TestQueueLetsRequestsWaitAndRefusesWhenItIsFull(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, nil)
	level := newLevel("tenants", 1)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 1},
	}
	level = g.createLevel(t, level)
	schema := g.createSchema(t, newSchema("tenant", "tenants"))
	g.waitGoverned(t, schema, level)

	held := g.hold(t)
	waiting := g.begin(t, "catch-all")
	eventually(t, "a request waits", func(ctx context.Context) (bool, error) {
		return g.hasMetric(ctx, `apiserver_flowcontrol_current_inqueue_requests{flow_schema="tenant",priority_level="tenants"}`, 1)
	})
	require.Equal(t, http.StatusTooManyRequests, g.mustAs(t, "tenant").code)
	g.requireMetric(t, `apiserver_flowcontrol_rejected_requests_total{flow_schema="tenant",priority_level="tenants",reason="queue-full"}`, 1)
	select {
	case answer := <-waiting:
		t.Fatalf("the request did not wait: %d", answer.code)
	default:
	}
	g.gate.open(t)
	require.Equal(t, http.StatusNotFound, answered(t, held).code)
	require.Equal(t, http.StatusOK, answered(t, waiting).code)
}

// hasMetric tells whether a series, with its labels, is at least so high.
func (s *site) hasMetric(ctx context.Context, series string, least float64) (bool, error) {
	answer, err := trySend(ctx, s.http, http.MethodGet, s.URL+"/metrics", "")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(answer.body) {
		if value, found := strings.CutPrefix(line, series+" "); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return number >= least, err
		}
	}
	return false, nil
}

func (s *site) requireMetric(t *testing.T, series string, least float64) {
	t.Helper()
	eventually(t, "the metrics show "+series, func(ctx context.Context) (bool, error) { return s.hasMetric(ctx, series, least) })
}
