package behind

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	// accountCount accounts send requests in parallel. Each requests this many
	// objects through kube-apiserver, and one directly.
	accountCount = 8
	each         = 5
	// few is a number of seats below the number of requests.
	few = 20
)

// bound limits the level of service accounts to few seats, in both servers. It
// disables borrowing, because borrowed seats would end a stall for a while.
func (s *besideSite) bound(t *testing.T) {
	t.Helper()
	s.patchLevel(t, `{"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "false"}},
		"spec": {"limited": {"nominalConcurrencyShares": 1, "lendablePercent": 0, "borrowingLimitPercent": 0}}}`)
	servers := []*rest.Config{s.Config(t)}
	for _, pod := range s.Servers(t, replicas) {
		servers = append(servers, s.operator(t, pod))
	}
	const family = "apiserver_flowcontrol_nominal_limit_seats"
	for _, server := range servers {
		eventually.Holds(t, "service accounts have few seats in "+server.Host, func(a *eventually.Attempt) {
			values, err := scrape.Parse(send(a, server, http.MethodGet, "/metrics", "").Body, family)
			require.NoError(a, err)
			seats := values.Sum(family, `priority_level="`+level+`"`)
			require.Positive(a, seats)
			require.LessOrEqual(a, seats, float64(few))
		})
	}
}

// unbound lets the servers restore the suggested configuration of the level.
func (s *besideSite) unbound(t *testing.T) {
	t.Helper()
	s.patchLevel(t, `{"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}}`)
}

func (s *besideSite) patchLevel(t *testing.T, patch string) {
	t.Helper()
	_, err := s.Client.FlowcontrolV1().PriorityLevelConfigurations().Patch(t.Context(), level, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(t, err)
}

// makeAccounts creates service accounts that may read flow schemas, and returns
// their tokens.
func (s *besideSite) makeAccounts(t *testing.T) (tokens []string) {
	t.Helper()
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=get", "--resource=flowschemas."+group)
	s.kubectl.Run(t, "create", "clusterrolebinding", "reader", "--clusterrole=reader", "--group=system:serviceaccounts:default")
	accounts := s.Client.CoreV1().ServiceAccounts("default")
	for i := range accountCount {
		name := fmt.Sprintf("account-%d", i)
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := accounts.Create(t.Context(), account, metav1.CreateOptions{})
		require.NoError(t, err)
		token, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		require.NoError(t, err)
		tokens = append(tokens, token.Status.Token)
	}
	return tokens
}

// operator returns a client configuration that connects directly to a pod with a
// certificate of system:masters. Its requests need no review.
func (s *besideSite) operator(t *testing.T, pod *cluster.Pod) *rest.Config {
	t.Helper()
	return s.to(t, pod).as(withCertificate(s.operatorPair))
}

// saturate pauses this server and sends requests of the accounts until they hold
// every seat in kube-apiserver. The accounts request objects that do not exist:
// 404 shows that the request was authorized; 401, 403 or 500 would show that it
// was not. Each request names another object, so that no cached review answers it.
// The returned function resumes this server and sends one direct request of each
// account.
func (s *besideSite) saturate(t *testing.T, r *rush, phase string, tokens []string) (goOn func()) {
	t.Helper()
	// This opens a connection from kube-apiserver to the server.
	s.waitSays(t, "v1beta3", passed)
	s.waitOK(t, basePath)
	pods := s.Servers(t, replicas)
	resume := sync.OnceFunc(func() {
		for _, pod := range pods {
			pod.Process().Resume()
		}
	})
	t.Cleanup(resume)
	for _, pod := range pods {
		pod.Process().Pause(t)
	}
	for i, token := range tokens {
		for j := range each {
			r.send(s.aggregated(t).as(withToken(token)), http.MethodGet, fmt.Sprintf("%s/%s-%d-%d", objectsPath, phase, i, j), "")
		}
	}
	admin := s.Config(t)
	eventually.Holds(t, "requests hold all seats", func(a *eventually.Attempt) {
		now := governed(a, admin)
		require.GreaterOrEqual(a, len(now), len(tokens)*each)
		require.NotEmpty(a, queuedPaths(now, ""))
	})
	return func() {
		resume()
		for i, token := range tokens {
			r.send(s.to(t, pods[0]).as(withToken(token)), http.MethodGet, fmt.Sprintf("%s/%s-%d", objectsPath, phase, i), "")
		}
	}
}

// result is the outcome of a request.
type result struct {
	harness.Reply
	path string
	err  error
}

// rush is a set of parallel requests. It retries a request if the server is busy
// or not reachable.
type rush struct {
	ctx    context.Context //nolint:containedctx // all its requests share it
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu      sync.Mutex // guards results
	results []result
}

func newRush(t *testing.T) *rush {
	t.Helper()
	r := &rush{}
	r.ctx, r.cancel = context.WithCancel(t.Context())
	t.Cleanup(func() { r.leave() })
	return r
}

// send sends a request and does not wait.
func (r *rush) send(config *rest.Config, method, path, body string) {
	r.all.Go(func() {
		got := result{path: path}
		eventually.Within(r.ctx, func(a *eventually.Attempt) {
			got.Reply, got.err = trySend(a.Context(), config, method, path, body)
			require.NotContains(a, []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, got.Code)
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.results = append(r.results, got)
	})
}

// wait waits for all requests and returns their results.
func (r *rush) wait() []result {
	r.all.Wait()
	return r.results
}

// leave cancels the unfinished requests, and returns the results of the finished
// ones.
func (r *rush) leave() []result {
	r.mu.Lock()
	before := r.results
	r.mu.Unlock()
	r.cancel()
	r.all.Wait()
	return before
}
