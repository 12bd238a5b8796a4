package alone

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	// worker is a user with permissions whose requests are not exempt. The level narrow,
	// which has one seat, governs them. Its token is the name.
	worker = "worker"
	// repetitions is how often a fault is made: a goroutine or a seat that each of them
	// leaves behind is noticed.
	repetitions = 60
	// spareGoroutines come and go, for idle connections and timers.
	spareGoroutines = 30
)

// workersRights allow everything with the API.
const workersRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: workers}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: workers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: workers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: worker}]
`

// faulty is a server that is broken, and a user worker, whose requests narrow governs.
type faulty struct {
	*site
	writes atomic.Int64
}

// startFaulty starts a server with an external etcd behind a proxy or several members: their flags are
// among args.
func startFaulty(t *testing.T, args ...string) *faulty {
	t.Helper()
	s := &faulty{site: startSite(t, nil, append(args, "--max-requests-inflight=10", "--max-mutating-requests-inflight=5",
		"--authorization-rbac-file="+fileOf(t, "rbac.yaml", workersRights), "--token-auth-file="+fileOf(t, "tokens.csv", worker+","+worker+",1\n"))...)}
	s.govern(t)
	return s
}

// govern creates the level narrow, and waits until it governs the worker.
func (s *faulty) govern(t *testing.T) {
	t.Helper()
	level := objects.LevelOf(narrow, 1)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{
		Queues: 1, HandSize: 1, QueueLengthLimit: 2 * repetitions,
	}}
	s.createLevel(t, level)
	schema := objects.SchemaOf(worker, narrow)
	schema.Name, schema.Spec.MatchingPrecedence, schema.Spec.DistinguisherMethod = narrow, 2, nil
	s.createSchema(t, schema)
	client := s.newWorker(t)
	defer client.CloseIdleConnections()
	eventually.Holds(t, "the level governs the worker", func(a *eventually.Attempt) {
		_, err := s.ask(a.Context(), client, v1Path+"/flowschemas/exempt")
		require.NoError(a, err)
		require.Positive(a, s.metric(a, `apiserver_flowcontrol_dispatched_requests_total{flow_schema="narrow"`))
	})
}

// newWorker returns a client of the worker with connections of its own.
func (s *faulty) newWorker(t *testing.T) *http.Client {
	t.Helper()
	config := rest.AnonymousClientConfig(s.Config(t))
	config.BearerToken = worker
	config.Proxy = http.ProxyFromEnvironment // a function of its own, so that connections are not shared
	transport, err := rest.TransportFor(config)
	require.NoError(t, err)
	client := &http.Client{Transport: transport}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func (s *faulty) ask(ctx context.Context, client *http.Client, path string) (harness.Reply, error) {
	return harness.Send(ctx, client, http.MethodGet, s.URL+path, "")
}

// metric returns the sum of the series whose lines begin with a text.
func (s *faulty) metric(a *eventually.Attempt, prefix string) (sum float64) {
	answer, err := s.ask(a.Context(), s.http, "/metrics")
	require.NoError(a, err)
	require.Equal(a, http.StatusOK, answer.Code)
	for line := range strings.Lines(answer.Body) {
		if strings.HasPrefix(line, prefix) {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndex(line, " "):]), 64)
			require.NoError(a, err)
			sum += value
		}
	}
	return sum
}

// executing and waiting return the requests of the worker. A scrape would ask etcd.
func (s *faulty) executing(a *eventually.Attempt) int { return s.levelColumn(a, "ExecutingRequests") }

func (s *faulty) waiting(a *eventually.Attempt) int { return s.levelColumn(a, "WaitingRequests") }

// levelColumn returns a column of the level narrow.
func (s *faulty) levelColumn(a *eventually.Attempt, name string) int {
	answer, err := s.ask(a.Context(), s.http, "/debug/api_priority_and_fairness/dump_priority_levels")
	require.NoError(a, err)
	header, rows, _ := strings.Cut(answer.Body, "\n")
	column := slices.IndexFunc(strings.Split(header, ","), func(title string) bool { return strings.TrimSpace(title) == name })
	require.GreaterOrEqual(a, column, 0, answer.Body)
	for row := range strings.Lines(rows) {
		if cells := strings.Split(row, ","); strings.TrimSpace(cells[0]) == narrow {
			value, err := strconv.Atoi(strings.TrimSpace(cells[column]))
			require.NoError(a, err)
			return value
		}
	}
	require.Fail(a, "there is no level "+narrow, answer.Body)
	return 0
}

// goroutines returns the number of goroutines of a server at rest.
func (s *faulty) goroutines(t *testing.T) (number float64) {
	t.Helper()
	eventually.Holds(t, "the server is at rest", func(a *eventually.Attempt) {
		require.Zero(a, s.executing(a)+s.waiting(a))
		number = s.metric(a, "go_goroutines ")
	})
	return number
}

// goesOn requires that the server reads and writes, and is at rest afterwards: no seat is in use,
// and goroutines are as many as before.
func (s *faulty) goesOn(t *testing.T, goroutines float64) {
	t.Helper()
	client := s.newWorker(t)
	eventually.Holds(t, "the server reads and writes", func(a *eventually.Attempt) {
		name := fmt.Sprintf("write-%d", s.writes.Add(1))
		_, err := s.levels().Create(a.Context(), objects.LevelOf(name, 1), metav1.CreateOptions{})
		require.NoError(a, err)
		answer, err := s.ask(a.Context(), client, v1Path+"/prioritylevelconfigurations/"+name)
		require.NoError(a, err)
		require.Equal(a, http.StatusOK, answer.Code, answer.Body)
		require.NoError(a, s.levels().Delete(a.Context(), name, metav1.DeleteOptions{}))
	})
	client.CloseIdleConnections()
	eventually.Holds(t, "seats and goroutines are given back", func(a *eventually.Attempt) {
		require.Zero(a, s.executing(a), "requests that execute")
		require.Zero(a, s.waiting(a), "requests in queues")
		require.Zero(a, s.metric(a, `apiserver_flowcontrol_current_executing_seats{flow_schema="narrow"`), "seats")
		require.LessOrEqual(a, s.metric(a, "go_goroutines "), goroutines+spareGoroutines, "goroutines")
	})
}
