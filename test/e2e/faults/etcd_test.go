package faults

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// etcdSite is a server whose etcd is behind a proxy.
type etcdSite struct {
	*site
	etcd    *proxy
	process *harness.Server
}

// TestFaultsBesideTheServer runs one server whose audit log is on a full disk and whose
// collector of traces does not exist, and makes faults of its etcd and of its clients.
func TestFaultsBesideTheServer(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	proxy := newProxy(t, strings.TrimPrefix(etcd.URL, "http://"))
	const nobody = "127.0.0.1:9" // the port of discard; nothing listens on it
	process, s := startServer(t, harness.ServerOptions{Args: []string{
		"--request-timeout=4m", // requests may wait for a quarter of it: a minute
		"--etcd-servers=http://" + proxy.listener.Addr().String(), "--authorization-rbac-file=" + fileOf(t, "rbac.yaml", workersRights),
		"--audit-log-path=/dev/full", "--audit-policy-file=" + fileOf(t, "audit.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"),
		"--tracing-config-file=" + fileOf(t, "tracing.yaml", "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nendpoint: "+nobody+"\nsamplingRatePerMillion: 1000000\n"),
	}})
	e := &etcdSite{s, proxy, process}
	goroutines := s.goroutines(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *etcdSite)
	}{
		{"the disk of the audit log is full", testAuditLogIsFull},
		{"the collector of traces is gone", func(*testing.T, *etcdSite) {}}, // requests go on
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
	require.NotContains(t, process.Process.Output(), "Observed a panic")
	// Spans that nobody receives do not delay the end.
	start := time.Now()
	process.Stop(t)
	t.Logf("the stop took %v", time.Since(start))
}

// testAuditLogIsFull requires that a full disk is said where alerts see it.
func testAuditLogIsFull(t *testing.T, e *etcdSite) {
	eventually.Holds(t, "audit errors are counted", func(a *eventually.Attempt) {
		require.Positive(a, e.metric(a, `apiserver_audit_error_total{plugin="log"}`))
	})
	require.Contains(t, e.process.Process.Output(), "no space left on device")
}

func testSlowEtcd(t *testing.T, e *etcdSite) {
	e.etcd.become(delays)
	answer, err := e.ask(t.Context(), e.newWorker(t), schemasPath+"/exempt")
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
			answer, err := e.ask(t.Context(), client, schemasPath+"/exempt?timeout=2s")
			if err == nil { // at its deadline an answer may be cut off
				requireAway(t, answer)
			}
		})
		group.Go(func() {
			answer, err := harness.Send(t.Context(), e.http, http.MethodPatch, e.url+schemasPath+"/"+narrow+"?timeout=2s",
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
