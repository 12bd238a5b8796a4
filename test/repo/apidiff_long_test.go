//go:build long

package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnIncompatibleChangeOfTheEngineNeedsALineOfTheChangelog renames a function in a clone
// with a release. It builds a tool and reads the engine twice: half a minute.
func TestAnIncompatibleChangeOfTheEngineNeedsALineOfTheChangelog(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	run := func(dir, name string, args ...string) (string, error) {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		output, err := command.CombinedOutput()
		return string(output), err
	}
	replace := func(path, old, changed string) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(clone, path))
		require.NoError(t, err)
		require.Contains(t, string(content), old)
		require.NoError(t, os.WriteFile(filepath.Join(clone, path), []byte(strings.Replace(string(content), old, changed, 1)), 0o600))
	}
	_, err := run(root(t), "git", "clone", "--quiet", ".", clone)
	require.NoError(t, err)
	output, err := run(clone, "hack/apidiff.sh")
	require.NoError(t, err, output)
	assert.Contains(t, output, "no release yet")

	_, err = run(clone, "git", "tag", "pkg/apf/v0.1.0")
	require.NoError(t, err)
	output, err = run(clone, "hack/apidiff.sh")
	require.NoError(t, err, output)

	replace("pkg/apf/apf.go", "func ConfigFor(", "func RenamedConfigFor(")
	output, err = run(clone, "hack/apidiff.sh")
	require.Error(t, err)
	assert.Contains(t, output, "since pkg/apf/v0.1.0, pkg/apf changed incompatibly: ConfigFor: removed")

	const note = "- `RenamedConfigFor` was `ConfigFor`.\n"
	replace("CHANGELOG.md", "\n## 0.1.0\n", "\n## 0.1.0\n"+note)
	_, err = run(clone, "hack/apidiff.sh")
	require.Error(t, err, "a line of the last release says nothing about the next")
	replace("CHANGELOG.md", "\n## 0.1.0\n", "\n## Unreleased\n"+note+"\n## 0.1.0\n")
	output, err = run(clone, "hack/apidiff.sh")
	require.NoError(t, err, output)
}
