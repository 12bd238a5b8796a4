//go:build long

package flowcontrol_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixed are the tests that pass with the fixes.
const fixed = "^(TestQueueIsRemovedOnce|TestNoSeatsNoExecution|TestFinalSeatsAreLimitedWithoutQueues|" +
	"TestUpperLimitIsAtMostTheServer|TestTargetOfExempt|TestWatchThatIsNeverInitialized|TestAuditOfRejectedRequest)$"

// TestFixes applies the fixes to two releases. Without them the tests fail on the later one too.
func TestFixes(t *testing.T) {
	for release, tests := range map[string]string{"v0.33": "*_test.go", "v0.37.2": "[f-m]*_test.go"} { // without estimates_test.go, whose API has changed
		t.Run(release, func(t *testing.T) {
			module := t.TempDir()
			files, err := filepath.Glob(tests)
			require.NoError(t, err)
			for _, name := range append(files, "elephants_test.go") {
				content, err := os.ReadFile(name)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(module, name), content, 0o600))
			}
			goCommand(t, module, "mod", "init", "flowcontrol")
			goCommand(t, module, "get", "k8s.io/apiserver@"+release, "k8s.io/client-go@"+release)
			goCommand(t, module, "mod", "tidy")
			goCommand(t, module, "test", ".")
			library := strings.TrimSpace(goCommand(t, module, "list", "-m", "-f={{.Dir}}", "k8s.io/apiserver"))
			goCommand(t, module, "mod", "edit", "-replace=k8s.io/apiserver="+fix(t, library))
			output := goCommand(t, module, "test", "-v", "-run="+fixed, ".")
			assert.Equal(t, strings.Count(fixed, "|")+1, strings.Count(output, "--- PASS"), output)
		})
	}
}

// fix returns a copy of the library with the fixes.
func fix(t *testing.T, library string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "apiserver")
	require.NoError(t, os.CopyFS(dir, os.DirFS(library)))
	patches, err := filepath.Glob("fixes/*.patch")
	require.NoError(t, err)
	require.NotEmpty(t, patches)
	for _, patch := range patches {
		absolute, err := filepath.Abs(patch)
		require.NoError(t, err)
		apply := exec.Command("git", "apply", absolute)
		apply.Dir = dir
		output, err := apply.CombinedOutput()
		require.NoError(t, err, "%s: %s", patch, output)
	}
	return dir
}

func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), output)
	return string(output)
}
