package embedded

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

func TestEtcdListensOnItsSocketAlone(t *testing.T) {
	socket, err := newSocket(t.TempDir())
	require.NoError(t, err)
	config := etcdConfig(t.TempDir(), socket, zap.NewNop())
	assert.Empty(t, config.ListenPeerUrls)
	assert.Empty(t, config.ListenMetricsUrls)
	require.Len(t, config.ListenClientUrls, 1)
	assert.Equal(t, "unix", config.ListenClientUrls[0].Scheme)
	assert.Empty(t, config.ListenClientHttpUrls)
}

func TestNoFileIsOpenToOthers(t *testing.T) {
	dir, _, certificates := certified(t)
	_, err := WriteKubeconfig(dir, "https://127.0.0.1:6443", certificates)
	require.NoError(t, err)
	startEtcd(t, dir, logr.Discard())

	seen := map[string]fs.FileMode{}
	require.NoError(t, filepath.WalkDir(dir.Path(), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir.Path(), path)
		seen[name] = info.Mode()
		return err
	}))
	for name, mode := range seen {
		if filepath.Ext(name) == ".crt" {
			assert.Equal(t, fs.FileMode(0o644), mode, name)
			continue
		}
		assert.Zero(t, mode.Perm()&0o077, "%s has mode %v", name, mode)
	}
	assert.Equal(t, fs.ModeSocket|0o600, seen["etcd/client.sock"])
	assert.Contains(t, seen, "etcd/member/snap/db")
	assert.Contains(t, seen, "admin.kubeconfig")
}
