//go:build long

package monitoring

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/maintenance"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
)

// oneBinary is a server with its embedded etcd in the process of the test, which moves the
// clock of its certificates, and a Prometheus.
type oneBinary struct {
	dir        string // of the data
	snapshots  string
	clock      *clocktesting.FakeClock
	prometheus *prometheus
}

// TestAlertsOfAServerWithAnEmbeddedEtcd produces the faults one after the other.
func TestAlertsOfAServerWithAnEmbeddedEtcd(t *testing.T) {
	s := startOneBinary(t)
	s.prometheus.requireRests(t)
	for _, fault := range []struct {
		name    string
		produce func(*testing.T, *oneBinary)
	}{
		{"snapshots cannot be written", testSnapshotsFail},
		{"a certificate cannot be renewed", testRenewalFails},
		{"the embedded etcd is full", testEmbeddedEtcdFull},
	} {
		t.Run(fault.name, func(t *testing.T) { fault.produce(t, s) })
	}
}

func startOneBinary(t *testing.T) *oneBinary {
	t.Helper()
	parent := t.TempDir()
	s := &oneBinary{dir: filepath.Join(parent, "data"), snapshots: filepath.Join(parent, "snapshots"), clock: clocktesting.NewFakeClock(time.Now())}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	config := server.NewConfig()
	config.DataDir, config.SecureServing.Listener, config.Clock = s.dir, listener, s.clock
	config.Store.QuotaBytes = embedded.MinQuotaBytes
	config.Store.SnapshotInterval, config.Store.SnapshotRetain, config.Store.SnapshotDir = 2*time.Second, 2, s.snapshots
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	running, err := server.New(ctx, config.Complete())
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- running.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		running.Close()
	})
	require.NoError(t, running.WaitReady(ctx))
	pki := filepath.Join(s.dir, "pki")
	s.prometheus = startPrometheus(t, "tls_config: {insecure_skip_verify: true, cert_file: "+strconv.Quote(filepath.Join(pki, "admin.crt"))+
		", key_file: "+strconv.Quote(filepath.Join(pki, "admin.key"))+"}")
	s.prometheus.scrape(t, map[string][]string{serverJob: {listener.Addr().String()}})
	s.prometheus.awaitUp(t, 1)
	return s
}

// testSnapshotsFail puts a file in the place of the directory.
func testSnapshotsFail(t *testing.T, s *oneBinary) {
	s.prometheus.requireSeries(t, `flowcontrol_apiserver_embedded_etcd_snapshots_total{result="success"} > 0`)
	require.NoError(t, os.Rename(s.snapshots, s.snapshots+".away"))
	write(t, s.snapshots, "")
	s.prometheus.requireFires(t, "FlowControlSnapshotsFail")
	require.NoError(t, os.Remove(s.snapshots))
	s.prometheus.requireRests(t)
}

// testRenewalFails puts something else into the file of the serving certificate, which the
// server does not overwrite.
func testRenewalFails(t *testing.T, s *oneBinary) {
	s.prometheus.requireSeries(t, `flowcontrol_apiserver_certificate_renewals_total{certificate="serving",result="error"} == 0`)
	file := filepath.Join(s.dir, "pki", "serving.crt")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	write(t, file, "of other hands")
	s.clock.Step(renewal.Interval)
	s.prometheus.requireFires(t, "FlowControlCertificateRenewalFails", "certificate", "serving")
	write(t, file, string(content))
	s.clock.Step(renewal.Interval)
	s.prometheus.requireRests(t)
}

// testEmbeddedEtcdFull fills the database, and keeps it full while the server makes room.
func testEmbeddedEtcdFull(t *testing.T, s *oneBinary) {
	store, err := embedded.OpenStore(t.Context(), s.dir, logr.Discard())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()
	for key, full := 0, false; !full; { // until not even the history can make room
		_, err := store.Client.Put(t.Context(), "/filler/"+strconv.Itoa(key), strings.Repeat("x", 256<<10))
		if key++; err != nil {
			require.ErrorContains(t, err, "database space exceeded")
			reclaimed, err := maintenance.Reclaim(t.Context(), store.Client, embedded.MinQuotaBytes)
			require.NoError(t, err)
			full = reclaimed.After.NoSpace
		}
	}
	s.prometheus.requireFires(t, "FlowControlEtcdFull")
	s.prometheus.requireFires(t, "FlowControlEtcdLarge", "job", serverJob)
	_, err = store.Client.Delete(t.Context(), "/filler/", clientv3.WithPrefix())
	require.NoError(t, err)
	eventually.Holds(t, "there is room again", func(a *eventually.Attempt) {
		reclaimed, err := maintenance.Reclaim(a.Context(), store.Client, embedded.MinQuotaBytes)
		require.NoError(a, err)
		require.False(a, reclaimed.After.NoSpace)
	})
	s.prometheus.requireRests(t)
}
