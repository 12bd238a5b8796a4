package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenDataDirectoryRestrictsItToItsOwner(t *testing.T) {
	tests := map[string]func(t *testing.T, path string){
		"a missing directory is created": func(*testing.T, string) {},
		"an empty directory open to others is restricted": func(t *testing.T, path string) {
			makeDirectoryOfMode(t, path, 0o755)
		},
		"a directory of this server opened to others is restricted again": func(t *testing.T, path string) {
			require.NoError(t, openDirectory(t, path).Close())
			write(t, filepath.Join(path, "something"), "")
			require.NoError(t, os.Chmod(path, 0o777))
		},
		"a restricted directory may contain other files": func(t *testing.T, path string) {
			makeDirectoryOfMode(t, path, 0o700)
			write(t, filepath.Join(path, "something"), "")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "parent", "data")
			prepare(t, path)
			dir := openDirectory(t, path)
			assert.Equal(t, path, dir.Path())
			assert.Equal(t, os.FileMode(0o700), modeOf(t, path))
			assert.Equal(t, os.FileMode(0o600), modeOf(t, filepath.Join(path, lockName)))
			assert.Equal(t, strconv.Itoa(os.Getpid())+"\n", read(t, filepath.Join(path, lockName)))
		})
	}
}

// etcd's own check for writability truncates and removes this file.
func TestOpenDataDirectoryKeepsOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	makeDirectoryOfMode(t, path, 0o700)
	write(t, filepath.Join(path, ".touch"), "kept")
	openDirectory(t, path)
	assert.Equal(t, "kept", read(t, filepath.Join(path, ".touch")))
}

func TestOpenDataDirectoryRejects(t *testing.T) {
	tests := map[string]struct {
		prepare func(t *testing.T, path string) string
		wants   []string
	}{
		"an empty path": {
			prepare: func(*testing.T, string) string { return "" },
			wants:   []string{"the path is empty", "--data-dir"},
		},
		"a file": {
			prepare: func(t *testing.T, path string) string { write(t, path, ""); return path },
			wants:   []string{"is a file and not a directory", "choose another --data-dir"},
		},
		"a path below a file": {
			prepare: func(t *testing.T, path string) string { write(t, path, ""); return filepath.Join(path, "data") },
			wants:   []string{"is a file and not a directory", "choose another --data-dir"},
		},
		"a directory of another user": {
			prepare: directoryOfAnotherUser,
			wants:   []string{"belongs to user", "runs as user", "choose another --data-dir"},
		},
		"a directory open to others with other files": {
			prepare: func(t *testing.T, path string) string {
				makeDirectoryOfMode(t, path, 0o755)
				write(t, filepath.Join(path, "thesis.tex"), "")
				return path
			},
			wants: []string{"mode 0755", "thesis.tex", "choose a --data-dir that nothing else uses"},
		},
		"a lock file that leads elsewhere": {
			prepare: func(t *testing.T, path string) string {
				makeDirectoryOfMode(t, path, 0o700)
				require.NoError(t, os.Symlink(path+".target", filepath.Join(path, lockName)))
				return path
			},
			wants: []string{"is not writable"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := test.prepare(t, filepath.Join(t.TempDir(), "data"))
			before, statErr := os.Stat(path)
			_, err := OpenDataDirectory(path)
			require.Error(t, err)
			for _, want := range append(test.wants, path) {
				assert.ErrorContains(t, err, want)
			}
			if statErr == nil {
				assert.Equal(t, before.Mode(), modeAndType(t, path), "it was changed")
			}
		})
	}
}

func TestOpenDataDirectoryRejectsOneThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	makeDirectoryOfMode(t, path, 0o500)
	t.Cleanup(func() { require.NoError(t, os.Chmod(path, 0o700)) })
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(path, nobody, nobody))
	}
	opened, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = opened.Close() }()

	// The user nobody may not traverse the path, but may use a directory that it
	// inherits.
	rejection := startChild(t, "open", "/proc/self/fd/3", asNobody, inheriting(opened)).rejection()
	assert.Contains(t, rejection, "data directory /proc/self/fd/3 is not writable for user")
	assert.Contains(t, rejection, "let the user of this server read and write")
	// Of a directory with data, another one below may be the cause.
	require.NoError(t, os.Chmod(path, 0o700))
	below := filepath.Join(path, "wal")
	makeDirectoryOfMode(t, below, 0o500)
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(below, nobody, nobody))
	}
	said := startChild(t, "explain", "/proc/self/fd/3/.", asNobody, inheriting(opened)).rejection()
	assert.Contains(t, said, "let the user of this server read and write the files; keep the data")
	require.NoError(t, os.Remove(below))
	require.NoError(t, os.Chmod(path, 0o500))

	// If an earlier lock file is writable, only a write detects the error.
	require.NoError(t, os.Chmod(path, 0o700))
	write(t, filepath.Join(path, lockName), "")
	require.NoError(t, os.Chmod(filepath.Join(path, lockName), 0o666))
	require.NoError(t, os.Chmod(path, 0o500))
	rejection = startChild(t, "open", "/proc/self/fd/3", asNobody, inheriting(opened)).rejection()
	assert.Contains(t, rejection, "data directory /proc/self/fd/3 is not writable for user")
}

func TestOneProcessPerDataDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	holder := startChild(t, "open", path)
	require.Equal(t, "opened", holder.next())

	_, err := OpenDataDirectory(path)
	require.EqualError(t, err, fmt.Sprintf("data directory %s is in use by process %d; stop it or choose another --data-dir", path, holder.command.Process.Pid))

	second := startChild(t, "open", path)
	assert.Equal(t, err.Error(), second.rejection())
	assert.Error(t, second.command.Wait(), "the second process goes on")

	holder.kill()
	dir := openDirectory(t, path)
	_, err = OpenDataDirectory(path)
	require.ErrorContains(t, err, fmt.Sprintf(" is in use by process %d;", os.Getpid()))
	require.NoError(t, os.Truncate(filepath.Join(path, lockName), 0))
	_, err = OpenDataDirectory(path)
	require.ErrorContains(t, err, " is in use by another process;", "it has not written its ID yet")

	require.NoError(t, dir.Close())
	openDirectory(t, path)
}

func makeDirectoryOfMode(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(path, 0o700))
	require.NoError(t, os.Chmod(path, mode))
}

// directoryOfAnotherUser changes the owner of path. Without the permission to
// do so, it returns a directory of root.
func directoryOfAnotherUser(t *testing.T, path string) string {
	if os.Geteuid() != 0 {
		return "/"
	}
	makeDirectoryOfMode(t, path, 0o700)
	require.NoError(t, os.Chown(path, nobody, nobody))
	return path
}

func modeAndType(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode()
}
