package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

const lockName = "flowcontrol-apiserver.lock"

// KubeconfigName is the name of the administrator's kubeconfig in a data directory.
const KubeconfigName = "admin.kubeconfig"

// DataDirectory is the directory of one server that runs alone. It is locked
// until Close.
type DataDirectory struct {
	path string
	lock *fileutil.LockedFile
}

// OpenDataDirectory creates the directory if it is missing, restricts it to its
// owner, and locks it. Path may be relative; missing parents are created.
//
// A directory that others may enter is restricted if it is empty or was used by
// this server before. One with other files is rejected, so that a mistake such
// as --data-dir=/tmp does not lock everybody out of /tmp.
//
// The error says whether another process holds the lock, or the path is not a directory,
// belongs to another user, is open to others, or cannot be written.
func OpenDataDirectory(path string) (*DataDirectory, error) {
	if path == "" {
		return nil, errors.New("data directory: the path is empty; name one with --data-dir")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w; give --data-dir an absolute path", path, err)
	}
	if err := createDirectory(absolute); err != nil {
		return nil, err
	}
	if err := restrictDirectory(absolute); err != nil {
		return nil, err
	}
	lock, err := acquireLock(absolute)
	if err != nil {
		return nil, err
	}
	if err := probeWritable(absolute); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &DataDirectory{path: absolute, lock: lock}, nil
}

// Path is the absolute path of the directory.
func (d *DataDirectory) Path() string { return d.path }

// KubeconfigPath is where WriteKubeconfig writes the administrator's kubeconfig.
func (d *DataDirectory) KubeconfigPath() string { return filepath.Join(d.path, KubeconfigName) }

// Close releases the lock on the directory. Call it once, after everything that
// uses the directory has stopped.
func (d *DataDirectory) Close() error { return d.lock.Close() }

func (d *DataDirectory) pkiPath() string  { return filepath.Join(d.path, "pki") }
func (d *DataDirectory) etcdPath() string { return filepath.Join(d.path, "etcd") }

func createDirectory(path string) error {
	err := os.MkdirAll(path, directoryMode)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("data directory %s: it, or a part of its path, is a file and not a directory (%w); choose another --data-dir", path, err)
	default:
		return fmt.Errorf("data directory %s cannot be created: %w; choose a --data-dir that user %d may write", path, err, os.Geteuid())
	}
}

// restrictDirectory removes the permissions of group and others.
func restrictDirectory(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("data directory %s: %w", path, err)
	}
	if owner, known := ownerOf(info); known && owner != os.Geteuid() {
		return fmt.Errorf("data directory %s belongs to user %d and this process runs as user %d; run it as the owner or choose another --data-dir", path, owner, os.Geteuid())
	}
	if !openToOthers(info) {
		return nil
	}
	if err := rejectForeignFiles(path, info); err != nil {
		return err
	}
	if err := os.Chmod(path, directoryMode); err != nil {
		return fmt.Errorf("data directory %s: %w; set its mode to 0700 or choose another --data-dir", path, err)
	}
	if info, err = os.Stat(path); err != nil {
		return fmt.Errorf("data directory %s: %w", path, err)
	}
	if openToOthers(info) {
		return fmt.Errorf("data directory %s: its file system keeps mode %#o although 0700 was set; choose a --data-dir on a file system with permissions", path, info.Mode().Perm())
	}
	return nil
}

// rejectForeignFiles protects a directory that serves another purpose.
func rejectForeignFiles(path string, info fs.FileInfo) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("data directory %s cannot be read: %w; choose another --data-dir", path, err)
	}
	if len(entries) == 0 {
		return nil
	}
	for _, entry := range entries {
		if entry.Name() == lockName {
			return nil
		}
	}
	return fmt.Errorf("data directory %s has mode %#o and contains files of another origin (%s, ...); choose a --data-dir that nothing else uses, or set the mode of this one to 0700",
		path, info.Mode().Perm(), entries[0].Name())
}

// probeWritable writes a file: modes do not show a read-only mount, and do not
// restrict root.
func probeWritable(path string) error {
	probe, err := os.CreateTemp(path, ".probe-*")
	if err != nil {
		return notWritable(path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func notWritable(path string, err error) error {
	return fmt.Errorf("data directory %s is not writable for user %d: %w; %s", path, os.Geteuid(), err, remedyOf(err))
}

func ownerOf(info fs.FileInfo) (int, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// acquireLock locks the directory by a file in it. The kernel releases the lock
// when the process ends, however it ends. The file is never removed: a third
// process could then lock a new file while a second one locks the old.
func acquireLock(directory string) (*fileutil.LockedFile, error) {
	path := filepath.Join(directory, lockName)
	const flags = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW
	// TryLockFile does not tell a failure to open from a failure to lock.
	file, err := os.OpenFile(path, flags, secretMode)
	if err != nil {
		return nil, notWritable(directory, err)
	}
	if err := file.Close(); err != nil {
		return nil, notWritable(directory, err)
	}
	lock, err := fileutil.TryLockFile(path, flags, secretMode)
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, fmt.Errorf("data directory %s is in use by %s; stop it or choose another --data-dir", directory, holderOf(path))
	}
	if err != nil {
		return nil, fmt.Errorf("data directory %s cannot be locked: %w; choose a --data-dir on a file system with locks", directory, err)
	}
	if err := writePID(lock.File); err != nil {
		return nil, errors.Join(notWritable(directory, err), lock.Close())
	}
	return lock, nil
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holderOf names the process that has locked a file, which may not have written its ID yet.
func holderOf(path string) string {
	content, _ := os.ReadFile(path)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(content))); err == nil {
		return fmt.Sprintf("process %d", pid)
	}
	return "another process"
}
