package embedded

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openStore(t *testing.T, path string) *Store {
	t.Helper()
	store, err := OpenStore(t.Context(), path, logr.Discard())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close(context.WithoutCancel(t.Context()))) })
	return store
}

func requireKey(t *testing.T, store *Store, key string) {
	t.Helper()
	got, err := store.Client.Get(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, got.Kvs, 1)
}

func TestOpenStoreUsesTheEtcdOfTheServerThatRuns(t *testing.T) {
	for name, folder := range map[string]string{
		"on a short path":                         "data",
		"on a path too long for a socket address": strings.Repeat("a", 100),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), folder)
			fill(t, path)
			server := startChild(t, "serve", path)
			require.Equal(t, "opened", server.next())
			require.Equal(t, "ready", server.next())

			store := openStore(t, path)
			requireKey(t, store, "key/99")
			assert.Equal(t, server.command.Process.Pid, store.PID)
			quota, err := store.QuotaBytes(t.Context())
			require.NoError(t, err)
			assert.Equal(t, etcdsQuota, quota)
		})
	}
}

func TestOpenStoreStartsAnEtcdIfNoServerRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	writer := startChild(t, "write", path)
	require.Equal(t, "opened", writer.next())
	last := writer.next()
	for _, key := range writer.killAndDrain() {
		last = key // etcd's log alone may have it
	}

	store := openStore(t, path)
	requireKey(t, store, last)
	assert.Zero(t, store.PID)
	quota, err := store.QuotaBytes(t.Context())
	require.NoError(t, err)
	assert.Zero(t, quota, "it is an option of the server")
}

func TestOpenStoreSaysWhyThereIsNone(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent")
	_, err := OpenStore(t.Context(), absent, logr.Discard())
	var none *NoStoreError
	require.ErrorAs(t, err, &none)
	assert.ErrorContains(t, err, absent+" holds no store")
	assert.NoDirExists(t, absent)

	interrupted := filepath.Join(t.TempDir(), "interrupted")
	fill(t, interrupted)
	markFirstStart(t, interrupted)
	_, err = OpenStore(t.Context(), interrupted, logr.Discard())
	require.ErrorContains(t, err, "the first start of its server was interrupted; start the server first")
	assert.FileExists(t, filepath.Join(interrupted, "etcd", firstStartName))

	starting := filepath.Join(t.TempDir(), "starting")
	fill(t, starting)
	openDirectory(t, starting)
	_, err = OpenStore(t.Context(), starting, logr.Discard())
	assert.ErrorContains(t, err, "whose etcd does not answer")
	assert.ErrorContains(t, err, "it may be starting or stopping")
}

func TestOpenStoreOfAnotherUserIsRejected(t *testing.T) {
	base, err := os.MkdirTemp("", "store") //nolint:usetesting // another user may not enter t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	require.NoError(t, os.Chmod(base, 0o755))
	path := filepath.Join(base, "data")
	fill(t, path)
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(path, 0))
		defer func() { _ = os.Chmod(path, 0o700) }()
	}
	rejection := startChild(t, "open store", path, asNobody).rejection()
	assert.Contains(t, rejection, "not readable for user")
	assert.Contains(t, rejection, "run this command as the user of the server")
}
