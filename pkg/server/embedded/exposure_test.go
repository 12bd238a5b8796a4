package embedded

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEtcdUsesNoTCP(t *testing.T) {
	server := startChild(t, "serve", filepath.Join(t.TempDir(), "data"))
	require.Equal(t, "opened", server.next())
	require.Equal(t, "ready", server.next())
	assert.Empty(t, tcpSockets(t, server.command.Process.Pid))

	// The same check on a process that does listen.
	server = startChild(t, "serve and listen on TCP", filepath.Join(t.TempDir(), "data"))
	require.Equal(t, "opened", server.next())
	require.Equal(t, "ready", server.next())
	assert.Len(t, tcpSockets(t, server.command.Process.Pid), 1)
}

func TestNoFileIsOpenToOthers(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	certificates, err := EnsureCertificates(dir, nil, at(begin()))
	require.NoError(t, err)
	_, err = WriteKubeconfig(dir, "https://127.0.0.1:6443", certificates)
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

// tcpSockets lists the TCP sockets of a process, as lines of /proc/PID/net.
func tcpSockets(t *testing.T, pid int) []string {
	t.Helper()
	inodes := socketInodes(t, pid)
	require.NotEmpty(t, inodes, "not even the socket of etcd")
	var sockets []string
	for _, table := range []string{"tcp", "tcp6"} {
		file, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		defer func() { _ = file.Close() }()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			// sl local remote state queues timer retransmits uid timeout inode
			if fields := strings.Fields(lines.Text()); len(fields) > 9 && inodes[fields[9]] {
				sockets = append(sockets, lines.Text())
			}
		}
	}
	return sockets
}

func socketInodes(t *testing.T, pid int) map[string]bool {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	inodes := map[string]bool{}
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(folder, entry.Name()))
		if err != nil {
			continue // closed since the folder was read
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes
}
