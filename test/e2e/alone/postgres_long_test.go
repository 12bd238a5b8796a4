//go:build long

package alone

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// sqlDriver starts a database, and returns the environment for Helm to use it.
func sqlDriver(t *testing.T) []string {
	t.Helper()
	require.NoError(t, binaries.DebianPackages(t.Context(), "postgresql"))
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	// The database rejects to run as root.
	dir := harness.ShortDir(t)
	owned, err := exec.CommandContext(t.Context(), "chown", "postgres:", dir).CombinedOutput()
	require.NoError(t, err, "%s", owned)
	as := func(program string, args ...string) []string {
		user := []string{"--reuid=postgres", "--regid=postgres", "--clear-groups"}
		return append(append(user, filepath.Join(programs[0], program), "-D", filepath.Join(dir, "data")), args...)
	}
	made, err := exec.CommandContext(t.Context(), "setpriv", as("initdb", "--auth=trust", "--username=helm", "--no-sync")...).CombinedOutput()
	require.NoError(t, err, "%s", made)

	port := harness.FreePorts(t, 1)[0]
	harness.StartProcess(t, harness.Command{Path: "/usr/bin/setpriv", Args: as("postgres", "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-k", dir, "-F")})
	eventually.Holds(t, "the database answers", func(a *eventually.Attempt) {
		output, err := exec.CommandContext(a.Context(), filepath.Join(programs[0], "pg_isready"), "-h", "127.0.0.1", "-p", fmt.Sprint(port)).CombinedOutput()
		require.NoError(a, err, "%s", output)
	})
	return []string{"HELM_DRIVER=sql", fmt.Sprintf("HELM_DRIVER_SQL_CONNECTION_STRING=postgresql://helm@127.0.0.1:%d/postgres?sslmode=disable", port)}
}
