package harness

import "os"

// ShortDir makes an empty directory that goes with the test. Its path is short,
// unlike that of a test's own TempDir, because the path of a Unix socket in it
// may have 107 bytes at most.
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
