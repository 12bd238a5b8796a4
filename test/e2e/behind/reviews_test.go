package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
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
// The test pauses the replicas until proxied requests hold every seat of the level and more
// requests queue. Only then can this server send reviews.
func testReviews(t *testing.T, s *besideSite) {
	s.bound(t)
	accounts := s.makeAccounts(t)
	defer s.unbound(t)
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
