package harness

import "os"

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
