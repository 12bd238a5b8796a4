package embedded

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestStartEtcdServesTheStorageClientOfTheAPIServer(t *testing.T) {
	tests := map[string]string{
		"on a short path":                             "data",
		"on a path too long for a socket address":     filepath.Join(strings.Repeat("a", 100), strings.Repeat("b", 100)),
		"on a path that a URL would change":           "a b%20c?d#e,f;g:h@i",
		"on a path that is too long and strange both": strings.Repeat("ж", 100),
	}
	for name, folder := range tests {
		t.Run(name, func(t *testing.T) {
			base, err := os.MkdirTemp("", "alone") //nolint:usetesting // t.TempDir is long by itself
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
			dir := openDirectory(t, filepath.Join(base, folder))
			etcd := startEtcd(t, dir, logr.Discard())

			config := storagebackend.NewDefaultConfig("/registry", nil)
			config.Transport.ServerList = []string{etcd.Endpoint()}
			prober, err := factory.CreateProber(*config)
			require.NoError(t, err)
			require.NoError(t, prober.Probe(t.Context()))
			require.NoError(t, prober.Close())
			monitors, err := factory.CreateMonitor(*config)
			require.NoError(t, err)
			measured, err := monitors.Monitor(t.Context())
			require.NoError(t, err)
			assert.Positive(t, measured.Size)
			require.NoError(t, monitors.Close())

			// The endpoint is also a valid URL.
			endpoint, err := url.Parse(etcd.Endpoint())
			require.NoError(t, err)
			assert.Equal(t, etcd.Endpoint(), "unix://"+endpoint.Path)
			assert.NotContains(t, etcd.Endpoint(), ",")

			assert.FileExists(t, filepath.Join(dir.Path(), "etcd", socketName))
			require.NoError(t, etcd.Close(t.Context()))
			assert.NoFileExists(t, filepath.Join(dir.Path(), "etcd", socketName))
		})
	}
}

func TestCloseDoesNotWaitForOpenWatches(t *testing.T) {
	defer leaks.None(t)()
	etcd := startPatientEtcd(t)
	go etcd.watch()
	client := newClient(t, etcd)
	<-client.Watch(t.Context(), "key", clientv3.WithCreatedNotify())

	// By default, etcd would wait for longer than two election timeouts.
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
	defer cancel()
	require.NoError(t, etcd.Close(ctx))
	assert.Empty(t, etcd.Failed(), "being closed counts as a failure")
	require.NoError(t, client.Close())
}

func TestCloseGivesUpInTime(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	etcd := startEtcd(t, dir, logr.Discard())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := etcd.Close(ended)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "etcd did not stop in time")
}

func TestFailedReportsThatEtcdStopped(t *testing.T) {
	tests := map[string]struct {
		die  func(*Etcd)
		want string
	}{
		"when it stops": {
			die:  func(e *Etcd) { e.server.Server.HardStop() },
			want: "embedded etcd stopped by itself",
		},
		"when it serves no more": {
			die:  func(e *Etcd) { _ = e.server.Clients[0].Close() },
			want: "embedded etcd stopped serving",
		},
		"when it would end the process": {
			die:  func(e *Etcd) { go e.server.GetLogger().Fatal("the disk is full") },
			want: "the disk is full",
		},
		"when it would panic": {
			die:  func(e *Etcd) { go e.server.GetLogger().Panic("unexpected entry") },
			want: "unexpected entry",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
			etcd := startEtcd(t, dir, logr.Discard())
			test.die(etcd)
			eventually.Holds(t, "somebody is told", func(a *eventually.Attempt) { require.Len(a, etcd.Failed(), 1) })
			assert.ErrorContains(t, <-etcd.Failed(), test.want)
			assert.NoError(t, etcd.Close(t.Context()))
		})
	}
}

func TestEtcdIsQuiet(t *testing.T) {
	log := &recorder{}
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	for range 2 {
		etcd := startEtcd(t, dir, log.logger(0))
		client := newClient(t, etcd)
		_, err := client.Put(t.Context(), "key", "value")
		require.NoError(t, err)
		require.NoError(t, client.Close())
		require.NoError(t, etcd.Close(t.Context()))
	}
	assert.Empty(t, slices.DeleteFunc(log.taken(), isOfSlowness))

	etcd := startEtcd(t, dir, log.logger(infoVerbosity))
	assert.NotEmpty(t, log.taken())
	etcd.server.GetLogger().Warn("slow disk")
	assert.Contains(t, log.taken(), `"level"=0 "msg"="slow disk"`)
	require.NoError(t, etcd.Close(t.Context()))
}

// isOfSlowness reports whether a line is a warning about a busy machine.
func isOfSlowness(line string) bool {
	return strings.Contains(line, "took too long") || strings.Contains(line, "slow fdatasync") || strings.Contains(line, "request stats")
}

// startPatientEtcd starts an etcd that gives its requests 8 seconds to end: 5, and two election
// timeouts.
func startPatientEtcd(t *testing.T) *Etcd {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	fill(t, path)
	socket, err := newSocket(filepath.Join(path, "etcd"))
	require.NoError(t, err)
	failure := newFailure()
	config := etcdConfig(filepath.Join(path, "etcd"), socket, newEtcdLogger(logr.Discard(), failure))
	config.TickMs, config.ElectionMs = 300, 1_500
	etcd := &Etcd{socket: socket, failure: failure, closing: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, etcd.start(ctx, config))
	return etcd
}

// TestAFullStoreAcceptsWritesAfterARestart: history is compacted although writes are rejected, and a
// start defragments and ends the alarm.
func TestAFullStoreAcceptsWritesAfterARestart(t *testing.T) {
	options := EtcdOptions{Log: logr.Discard(), QuotaBytes: MinQuotaBytes, CompactionInterval: time.Second}
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	etcd, err := StartEtcd(t.Context(), dir, options)
	require.NoError(t, err)
	client := newClient(t, etcd)
	const spare = 100
	for i := range spare {
		_, err = client.Put(t.Context(), fmt.Sprint("spare/", i), "")
		require.NoError(t, err)
	}
	for err == nil {
		_, err = client.Put(t.Context(), "key", strings.Repeat("x", 256<<10))
	}
	require.ErrorIs(t, err, rpctypes.ErrNoSpace)
	require.True(t, etcd.Space().NoSpace)
	eventually.Holds(t, "the history is compacted", func(a *eventually.Attempt) {
		_, err := client.Get(a.Context(), "key", clientv3.WithRev(spare))
		require.ErrorIs(a, err, rpctypes.ErrCompacted)
	})
	deleted := 0
	eventually.Holds(t, "its pages are free", func(a *eventually.Attempt) {
		_, err := client.Delete(a.Context(), fmt.Sprint("spare/", deleted)) // etcd counts them in a transaction
		require.NoError(a, err)
		deleted++
		status, err := client.Status(a.Context(), etcd.Endpoint())
		require.NoError(a, err)
		require.Less(a, status.DbSizeInUse, int64(1<<20))
	})
	_, err = client.Put(t.Context(), "key", "value")
	require.ErrorIs(t, err, rpctypes.ErrNoSpace)
	require.NoError(t, client.Close())
	require.NoError(t, etcd.Close(t.Context()))

	etcd, err = StartEtcd(t.Context(), dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, etcd.Close(context.WithoutCancel(t.Context()))) })
	assert.False(t, etcd.Space().NoSpace)
	assert.Less(t, etcd.Space().SizeBytes, int64(1<<20))
	_, err = newClient(t, etcd).Put(t.Context(), "key", "value")
	require.NoError(t, err)
}

func TestStartEtcdStopsWaitingWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	rejection := startChild(t, serveWithin+"1ns", path).rejection()
	assert.Contains(t, rejection, "embedded etcd on "+filepath.Join(path, "etcd")+": it did not")
	assert.Contains(t, rejection, "in time: context deadline exceeded; check whether the disk is slow or full")
}

func startEtcd(t testing.TB, dir *DataDirectory, logger logr.Logger) *Etcd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	etcd, err := StartEtcd(ctx, dir, EtcdOptions{Log: logger})
	require.NoError(t, err)
	t.Cleanup(func() {
		select {
		case <-etcd.closing:
		default:
			assert.NoError(t, etcd.Close(context.Background()))
		}
	})
	return etcd
}

func newClient(t testing.TB, etcd *Etcd) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{etcd.Endpoint()}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// recorder keeps the lines of a log.
type recorder struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (r *recorder) logger(verbosity int) logr.Logger {
	return funcr.New(func(_, line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, line)
	}, funcr.Options{Verbosity: verbosity})
}

// taken returns the lines since the last call.
func (r *recorder) taken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}
