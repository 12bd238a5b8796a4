package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// release runs hack/release.sh for the platform linux/amd64, and returns what it prints and the
// files that it writes.
func release(t *testing.T, arguments ...string) (files map[string]string, output string, err error) {
	t.Helper()
	dist := t.TempDir()
	script := exec.CommandContext(t.Context(), "hack/release.sh", arguments...)
	script.Dir = "../.."
	script.Env = append(os.Environ(), "DIST="+dist, "PLATFORMS=linux/amd64")
	printed, err := script.CombinedOutput()
	files = map[string]string{}
	entries, readErr := os.ReadDir(dist)
	require.NoError(t, readErr)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dist, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(content)
	}
	return files, string(printed), err
}

func TestReleasesThatNobodyCouldRepeatAreRejected(t *testing.T) {
	for _, version := range []string{"", "1", "next", "1.2.3;rm"} {
		files, output, err := release(t, version)
		require.Error(t, err)
		assert.Contains(t, output, "must be a version as 0.2.0")
		assert.Empty(t, files)
	}
	_, output, err := release(t, "1.2.3", "image")
	require.Error(t, err)
	assert.Contains(t, output, "'image' is no part: name server, plugin or artifacts")

	tree := t.TempDir()
	for name, content := range map[string]string{
		"hack/release.sh": fileText(t, "hack/release.sh"), "hack/openvex.sh": fileText(t, "hack/openvex.sh"),
		"hack/vulnerabilities.txt": "GO-2026-1 imported why\n", "CHANGELOG.md": "## Unreleased\n", "go.mod": "module m\n", ".gitignore": "dist/\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(tree, name), []byte(content), 0o755))
	}
	run := func(name string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, arguments...)
		command.Dir = tree
		output, _ := command.CombinedOutput()
		return string(output)
	}
	run("git", "init", "--quiet")
	run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--allow-empty", "--message=first")
	assert.Contains(t, run("hack/release.sh", "1.2.3"), "files differ from the commit")
	run("git", "add", ".")
	run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=second")
	assert.Contains(t, run("hack/release.sh", "1.2.3"), "CHANGELOG.md has no section '## 1.2.3': rename '## Unreleased' to it, and commit")

	// Notes and statements are there before the first program is built, which this tree does not have.
	require.NoError(t, os.WriteFile(filepath.Join(tree, "CHANGELOG.md"), []byte("## 1.2.3\n- a line\n"), 0o600))
	run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--all", "--message=third")
	output = run("hack/release.sh", "1.2.3")
	for name, content := range map[string]string{"RELEASE_NOTES.md": "- a line", "openvex.json": `"name": "GO-2026-1"`} {
		written, err := os.ReadFile(filepath.Join(tree, "dist", name))
		require.NoError(t, err, output)
		assert.Contains(t, string(written), content)
	}
}
