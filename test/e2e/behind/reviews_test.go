package behind

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// level is the level of service accounts in the suggested configuration.
	level = "workload-low"
	// reviewer is the name of this server's service account.
	reviewer = "system:serviceaccount:" + cluster.Namespace + ":flowcontrol-apiserver"
)

// testReviews tests that this server and kube-apiserver do not deadlock.
//
// kube-apiserver proxies a request to this server and holds a seat until this
// server answers. Meanwhile this server, as a service account, sends a
// SubjectAccessReview for the request to kube-apiserver, and for a direct request
// with a token a TokenReview too. In the suggested configuration, the requests and
// the reviews of service accounts use one level. Once proxied requests hold all
// seats of that level, no review gets a seat, no request is answered and no seat
// is released. The FlowSchemas of artifacts/flowschemas move the reviews to
// another level.
//
// The test runs with and without them. Without them the stall is certain and does
// not depend on load: the test pauses the replicas until proxied requests hold
// every seat of the level and more requests queue. Only then can this server send
// reviews.
func testReviews(t *testing.T, s *besideSite) {
	s.bound(t)
	accounts := s.makeAccounts(t)
	t.Run("with the FlowSchemas all are answered", func(t *testing.T) { testAnswered(t, s, accounts) })
	t.Run("without them none is", func(t *testing.T) { testStalled(t, s, accounts) })
	s.Apply(t, "flowschemas")
	s.unbound(t)
}

func testAnswered(t *testing.T, s *besideSite, accounts []string) {
	for _, q := range append(questions(), strange()) {
		s.awaitLevel(t, q, q.level)
	}
	rush, asker := newRush(t), s.reviewer(t)
	goOn := s.saturate(t, rush, "with", accounts)
	for _, q := range questions() {
		eventually.Holds(t, q.name+" is answered while requests hold all seats", func(a *eventually.Attempt) {
			reply := send(a, asker, q.method, q.path, q.body)
			require.Equal(a, q.answer, reply.Code, reply.Body)
		})
	}
	goOn()
	results := rush.wait()
	require.Len(t, results, len(accounts)*(each+1))
	for _, result := range results {
		require.NoError(t, result.err, result.path)
		require.Equal(t, http.StatusNotFound, result.Code, "%s: %s", result.path, result.Body)
	}
}

func testStalled(t *testing.T, s *besideSite, accounts []string) {
	s.kubectl.Run(t, "delete", "-k", harness.Path(t, "artifacts/flowschemas"))
	for _, q := range questions() {
		s.awaitLevel(t, q, level)
	}
	rush, asked, admin := newRush(t), newRush(t), s.Config(t)
	goOn := s.saturate(t, rush, "without", accounts)
	for _, q := range questions() {
		asked.send(s.reviewer(t), q.method, q.path, q.body)
	}
	eventually.Holds(t, "all questions queue in kube-apiserver", func(a *eventually.Attempt) {
		queued := queuedPaths(governed(a, admin), reviewer)
		for _, q := range questions() {
			require.Contains(a, queued, q.path)
		}
	})
	require.Empty(t, asked.leave())

	goOn()
	var operators []*rest.Config
	for _, pod := range s.Servers(t, replicas) {
		operators = append(operators, s.operator(t, pod))
	}
	eventually.Holds(t, "requests hold all seats of both servers, and reviews queue for one", func(a *eventually.Attempt) {
		front := governed(a, admin)
		require.Contains(a, queuedPaths(front, reviewer), questions()[0].path)
		require.False(a, slices.ContainsFunc(front, func(r governedRequest) bool { return r.user == reviewer && !r.queued }), "a review has a seat")
		var here []governedRequest
		for _, operator := range operators {
			here = append(here, governed(a, operator)...)
		}
		require.True(a, slices.ContainsFunc(here, func(r governedRequest) bool { return !r.queued }), "no request holds a seat here")
		require.True(a, slices.ContainsFunc(here, func(r governedRequest) bool { return r.queued }), "no request queues here")
	})
	for _, result := range rush.leave() {
		require.NotEqual(t, http.StatusNotFound, result.Code, "%s was answered", result.path)
	}
}

// awaitLevel waits until kube-apiserver assigns a request of this server to a
// level.
func (s *besideSite) awaitLevel(t *testing.T, q question, name string) {
	t.Helper()
	configuration, err := s.Client.FlowcontrolV1().PriorityLevelConfigurations().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	asker := s.reviewer(t)
	eventually.Holds(t, q.name+" is of the level "+name, func(a *eventually.Attempt) {
		reply := send(a, asker, q.method, q.path, q.body)
		require.Equal(a, string(configuration.UID), reply.Header.Get("X-Kubernetes-Pf-Prioritylevel-Uid"))
	})
}
