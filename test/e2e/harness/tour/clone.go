package tour

import (
	"os"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// StartAsInAClone starts a server as `make run` does, and returns a directory laid out
// like a fresh clone.
func StartAsInAClone(t harness.TB) (clone string) {
	t.Helper()
	harness.Program(t, binaries.Plugin)
	clone = harness.ShortDir(t)
	for _, folder := range []string{"artifacts", "docs"} {
		if err := os.Symlink(harness.Path(t, folder), filepath.Join(clone, folder)); err != nil {
			t.Fatalf("%v", err)
		}
	}
	server := harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(clone, ".flowcontrol-apiserver")})
	server.Settle(t) // the first table shows the statuses that the engine writes after the start
	return clone
}
