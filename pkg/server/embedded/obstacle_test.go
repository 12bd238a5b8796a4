package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A disk that was full on startup gave "failed to read WAL, cannot be repaired" and the advice to move the
// data away, which were whole.
func TestDataAreKeptWhereTheDiskIsTheCause(t *testing.T) {
	for errno, says := range map[syscall.Errno]string{
		syscall.ENOSPC: "free space on the disk, or inodes", syscall.EDQUOT: "raise the quota", syscall.EROFS: "make the file system writable",
		syscall.EACCES: "let the user of this server read and write", syscall.EPERM: "let the user of this server read and write", syscall.EIO: "check the disk", syscall.EFBIG: "ulimit -f",
	} {
		err := &fs.PathError{Op: "write", Path: "x", Err: errno}
		assert.Contains(t, remedyOf(fmt.Errorf("wrapped: %w", err)), says)
	}
	directory := t.TempDir()
	write(t, filepath.Join(directory, "0.wal"), "log")
	require.NoError(t, obstacleIn(directory))
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "what was written to try it is removed")

	require.NoError(t, os.Symlink("nowhere", filepath.Join(directory, "link")))
	require.NoError(t, obstacleIn(directory), "a link is no data of etcd")
	failed := errors.New("failed to read WAL, cannot be repaired")
	absent := filepath.Join(directory, "absent")
	full := notWritable(directory, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	assert.NotContains(t, full.Error(), "another --data-dir", "the data are in this one")
	assert.Contains(t, full.Error(), "free space on the disk, or inodes")
	for _, said := range []error{explainStart(directory, failed), explainStart(absent, failed)} {
		require.ErrorIs(t, said, failed)
		assert.Contains(t, said.Error(), "start it again")
		assert.NotContains(t, strings.ToLower(said.Error()), "away")
	}
	assert.ErrorIs(t, explainStart(absent, failed), fs.ErrNotExist, "the obstacle")
}
