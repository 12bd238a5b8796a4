package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NoStoreError is the error for a directory without a store of etcd.
type NoStoreError struct {
	// Path is the absolute path of the data directory.
	Path string
}

var _ error = (*NoStoreError)(nil)

// Error names the directory and the remedy.
func (e *NoStoreError) Error() string {
	return fmt.Sprintf("data directory %s holds no store: there is no %s; name the data directory of a server that has used its embedded etcd",
		e.Path, filepath.Join("etcd", memberName))
}

// openExisting locks a data directory that holds a store. Unlike OpenDataDirectory it
// creates nothing. The error is a *NoStoreError if there is no store, and an
// *InUseError if a process has locked the directory.
func openExisting(path string) (*DataDirectory, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w; give an absolute path", path, err)
	}
	_, err = os.Stat(filepath.Join(absolute, "etcd", memberName))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("data directory %s is not readable for user %d: %w; run this command as the user of the server", absolute, os.Geteuid(), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NoStoreError{Path: absolute}
	case err != nil:
		return nil, fmt.Errorf("data directory %s: %w", absolute, err)
	}
	return OpenDataDirectory(absolute)
}
