package embedded

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestRunningEtcdIsReachedThroughItsSocket(t *testing.T) {
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

			endpoint, release, err := RunningEtcd(t.Context(), path)
			require.NoError(t, err)
			client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
			require.NoError(t, err)
			got, err := client.Get(t.Context(), "key/99")
			require.NoError(t, err)
			assert.Len(t, got.Kvs, 1)
			require.NoError(t, client.Close())
			require.NoError(t, release())
		})
	}
}

func TestRunningEtcdSaysThatNoneAnswers(t *testing.T) {
	stopped := filepath.Join(t.TempDir(), "data")
	fill(t, stopped)
	for _, path := range []string{stopped, filepath.Join(t.TempDir(), "absent")} {
		_, _, err := RunningEtcd(t.Context(), path)
		require.ErrorContains(t, err, "data directory "+path+": no etcd answers: ")
		assert.ErrorContains(t, err, "start its server")
	}
}

// A path of 104 bytes has no room for the zero that ends it on the BSDs.
func TestASocketHasAPathThatFitsEveryAddress(t *testing.T) {
	for path, want := range map[string]bool{
		"/" + strings.Repeat("a", 102): true,
		"/" + strings.Repeat("a", 103): false,
		"/a b":                         false,
		"/a%20b":                       false,
	} {
		require.Equal(t, want, isPlainSocketPath(path), path)
	}
}
