package embedded

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
)

// TestTheLogOfEtcdDoesNotStayInMemory writes one key repeatedly, for a second.
func TestTheLogOfEtcdDoesNotStayInMemory(t *testing.T) {
	const size, writes = 20_000, 4 * (logEntries + keptEntries)
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	etcd := startEtcd(t, dir, logr.Discard())
	client := newClient(t, etcd)
	putMany(t, client, size, logEntries) // buffers of the client and of the database
	before := heap()
	putMany(t, client, size, writes)
	assert.Less(t, heap(), before+2*(logEntries+keptEntries)*size, "the log of %d writes is in memory", writes)

	assert.EqualValues(t, logEntries+writes, keyAfterRestart(t, dir, etcd, client).Kvs[0].Version)
}

// putMany writes one key a number of times, several at once.
func putMany(t *testing.T, client *clientv3.Client, size, times int) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(100)
	for i := range times {
		group.Go(func() error { return put(ctx, client, fmt.Sprint(i, strings.Repeat("x", size))) })
	}
	require.NoError(t, group.Wait())
}

func put(ctx context.Context, client *clientv3.Client, value string) error {
	_, err := client.Put(ctx, "key", value)
	return err
}

// heap returns the bytes in use after a garbage collection.
func heap() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// keyAfterRestart closes etcd, starts another with its data, and reads the key.
func keyAfterRestart(t *testing.T, dir *DataDirectory, etcd *Etcd, client *clientv3.Client) *clientv3.GetResponse {
	t.Helper()
	require.NoError(t, client.Close())
	require.NoError(t, etcd.Close(t.Context()))
	got, err := newClient(t, startEtcd(t, dir, logr.Discard())).Get(t.Context(), "key")
	require.NoError(t, err)
	require.Len(t, got.Kvs, 1)
	return got
}
