//go:build long

package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheDiffOfTheEngineGuideBuilds applies the diff of docs/engine.md to sample-apiserver, requires the
// engine as the page says, and compiles the result.
func TestTheDiffOfTheEngineGuideBuilds(t *testing.T) {
	page := fileText(t, "docs/engine.md")
	diff := regexp.MustCompile("(?ms)^```diff\n(.*?)^```$").FindStringSubmatch(page)
	require.Len(t, diff, 2)
	module := strings.TrimSpace(string(command(t, filepath.Join(root(t), "test/adoption/sample-apiserver"), "go", "list", "-m", "-f", "{{.Dir}} {{.Version}}", "k8s.io/sample-apiserver")))
	from, version, _ := strings.Cut(module, " ")
	require.Contains(t, page, "sample-apiserver](https://github.com/kubernetes/sample-apiserver) "+strings.TrimPrefix(version, "v"))
	dir := filepath.Join(t.TempDir(), "sample-apiserver")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	command(t, dir, "chmod", "-R", "u+w", ".")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "engine.diff"), []byte(diff[1]), 0o600))
	command(t, dir, "git", "apply", "engine.diff")
	const engine = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	command(t, dir, "go", "mod", "edit", "-require="+engine+"@v0.0.0", "-replace="+engine+"="+filepath.Join(root(t), "pkg/apf"))
	command(t, dir, "go", "mod", "tidy")
	command(t, dir, "go", "build", "-o", os.DevNull, ".")
}
