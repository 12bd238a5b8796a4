package harness

import (
	"os"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// Path returns the path of a file or folder of the repository. name is a slash path, relative to the
// top.
func Path(t TB, name string) string {
	t.Helper()
	root, err := binaries.Root()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// ShortDir makes an empty directory, removed when the test ends. Its path is
// shorter than TempDir's, because the path of a Unix socket in it may have 107
// bytes at most.
func ShortDir(t TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fca-")
	if err != nil {
		t.Fatalf("making a directory: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Logf("removing %s: %v", dir, err)
		}
	})
	return dir
}
