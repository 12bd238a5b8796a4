package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	directoryMode = 0o700
	secretMode    = 0o600
	publicMode    = 0o644
)

// writeFileAtomically replaces path as a whole: a reader, or the next start after
// a crash, sees the old content or the new. The name is durable after the next
// SyncDirectory. The temporary file has a fixed name, so that interruptions leave
// at most one; the lock on the directory excludes a second writer.
func writeFileAtomically(path string, content []byte, mode os.FileMode) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	err := writeAndSync(temporary, content, mode)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // which may not exist
	}
	return err
}

func writeAndSync(path string, content []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	// The umask may have removed bits, and a leftover file may have others.
	err = file.Chmod(mode)
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// SyncDirectory makes the names in a directory durable.
func SyncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// ensurePrivateDirectory creates a directory inside the data directory, or
// restricts an existing one to its owner.
func ensurePrivateDirectory(path string) error {
	if err := os.Mkdir(path, directoryMode); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("directory %s cannot be created: %w", path, err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away to have one created", path)
	}
	if !openToOthers(info) {
		return nil
	}
	return os.Chmod(path, directoryMode)
}

// restrictFile removes the permissions of group and others from a secret.
func restrictFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !openToOthers(info) {
		return nil
	}
	return os.Chmod(path, secretMode)
}

// openToOthers reports whether group or others have any permission.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// readIfExists returns nil for a file that does not exist, and an empty slice for
// an empty file.
func readIfExists(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; make it readable", path, err)
	}
	if content == nil {
		content = []byte{}
	}
	return content, nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
