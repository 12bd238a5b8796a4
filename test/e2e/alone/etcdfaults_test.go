package alone

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// etcdSite is a server whose etcd is behind a proxy.
type etcdSite struct {
	*faulty
	etcd *proxy
}

// TestFaultsBesideTheServer makes faults of a server's etcd and of its clients.
func TestFaultsBesideTheServer(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	proxy := newProxy(t, strings.TrimPrefix(etcd.URL, "http://"))
	s := startFaulty(t, "--etcd-servers=http://"+proxy.listener.Addr().String(),
		"--request-timeout=4m") // requests may wait for a quarter of it: a minute
	e := &etcdSite{s, proxy}
	goroutines := s.goroutines(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *etcdSite)
	}{
		{"clients leave before their request is complete", testLeftBeforeTheQueue},
		{"clients leave while their requests wait and execute", testLeftInTheQueue},
		{"clients leave while the answer is written", testLeftDuringTheAnswer},
		{"etcd answers slowly", testSlowEtcd},
		{"etcd breaks connections", func(t *testing.T, e *etcdSite) { testBrokenEtcd(t, e, breaks) }},
		{"etcd answers garbage", func(t *testing.T, e *etcdSite) { testBrokenEtcd(t, e, distorts) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, e)
			e.etcd.become(passes)
			s.goesOn(t, goroutines)
		})
	}
	answer, err := s.ask(t.Context(), s.http, "/readyz/flowcontrol-in-force")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	require.NotContains(t, s.Process.Output(), "Observed a panic")
}

func testSlowEtcd(t *testing.T, e *etcdSite) {
	e.etcd.become(delays)
	answer, err := e.ask(t.Context(), e.newWorker(t), v1Path+"/flowschemas/exempt")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Code, "a slow answer is an answer")
}

// testBrokenEtcd sends requests while etcd's answers do not arrive.
func testBrokenEtcd(t *testing.T, e *etcdSite, b behaviour) {
	e.etcd.become(b)
	client := e.newWorker(t)
	var group sync.WaitGroup
	for range repetitions / 10 {
		group.Go(func() {
			answer, err := e.ask(t.Context(), client, v1Path+"/flowschemas/exempt?timeout=2s")
			if err == nil { // at its deadline an answer may be cut off
				requireAway(t, answer)
			}
		})
		group.Go(func() {
			answer, err := harness.Send(t.Context(), e.http, http.MethodPatch, e.URL+v1Path+"/flowschemas/"+narrow+"?timeout=2s",
				`{"spec":{"matchingPrecedence":2}}`, "Content-Type: application/merge-patch+json")
			if err == nil {
				requireAway(t, answer)
			}
		})
	}
	group.Wait()
	answer, err := e.ask(t.Context(), e.http, "/livez")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Code, "a restart would not help")
}

// requireAway requires an answer that blames etcd, and never the server.
func requireAway(t *testing.T, answer harness.Reply) {
	t.Helper()
	switch answer.Code {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}
