//go:build long

package artifacts

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func TestPromtoolAcceptsTheRules(t *testing.T) {
	promtool(t, "check", "rules", filepath.Join("artifacts", "monitoring", "rules.yaml"))
}

func TestRulesFireAndRestInEveryCase(t *testing.T) {
	promtool(t, "test", "rules", filepath.Join("test", "monitoring", "testdata", "rules_test.yaml"))
}

// promtool runs promtool at the top of the repository.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	path := harness.Program(t, binaries.Promtool)
	command := exec.CommandContext(t.Context(), path, args...)
	command.Dir = harness.Path(t, "")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}
