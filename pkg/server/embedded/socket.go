package embedded

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketName = "client.sock"
	// socketPathLimit is the longest path in bytes that fits into every
	// sockaddr_un: 104 on the BSDs and macOS, 108 on Linux, less the final zero.
	socketPathLimit = 103
	// plainCharacters are the characters that no parser of an endpoint changes.
	plainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-"
)

// socket is the address that etcd listens on.
type socket struct {
	path string
	// directory is open if path leads through its descriptor, nil otherwise.
	directory *os.File
}

// newSocket chooses a path in the directory that fits into a socket address and
// into a URL: the plain path, or one through an open descriptor.
func newSocket(directory string) (*socket, error) {
	path := filepath.Join(directory, socketName)
	if isPlainSocketPath(path) {
		return &socket{path: path}, nil
	}
	opened, err := os.Open(directory)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", directory, err)
	}
	alias := fmt.Sprintf("/proc/self/fd/%d", opened.Fd())
	if !sameDirectory(opened, alias) {
		return nil, errors.Join(fmt.Errorf("a socket at %s needs a path of at most %d bytes of letters, digits and /._- on this system; choose another --data-dir", path, socketPathLimit), opened.Close())
	}
	return &socket{path: filepath.Join(alias, socketName), directory: opened}, nil
}

func isPlainSocketPath(path string) bool {
	return len(path) <= socketPathLimit && strings.Trim(path, plainCharacters) == ""
}

func sameDirectory(opened *os.File, path string) bool {
	want, err := opened.Stat()
	if err != nil {
		return false
	}
	got, err := os.Stat(path)
	return err == nil && os.SameFile(want, got)
}

func (s *socket) url() url.URL     { return url.URL{Scheme: "unix", Path: s.path} }
func (s *socket) endpoint() string { return "unix://" + s.path }

func (s *socket) close() error {
	if s.directory == nil {
		return nil
	}
	return s.directory.Close()
}
