//go:build long

package repo

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesChangeInTheWholeTree renames a clone, which then has none of the old names and builds.
func TestNamesChangeInTheWholeTree(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	command(t, root(t), "git", "clone", "--quiet", ".", clone)
	command(t, clone, "hack/rename.sh", "MODULE=github.com/example/flow", "IMAGE=registry.example:5000/team/flow", "CHARTS=registry.example/team/helm",
		"KREW_INDEX=github.com/example/index", "DOMAIN=flow.example")
	names := regexp.MustCompile(`(?m)^[A-Z_]+=(.+)$`).FindAllStringSubmatch(fileText(t, "hack/names.env"), -1)
	require.Len(t, names, 5)
	for _, name := range names {
		old := name[1]
		found, err := exec.CommandContext(t.Context(), "git", "-C", clone, "grep", "-nIF", old).CombinedOutput()
		require.Error(t, err, "%s", found)
		require.Empty(t, string(found))
	}
	require.Equal(t, "github.com/example/flow\n", string(command(t, clone, "go", "list", "-m")))
	command(t, clone, "go", "build", "./cmd/...", "./pkg/...")
}

func TestRenameRejectsWhatIsNoName(t *testing.T) {
	for _, change := range []string{"", "OTHER=example.com", "DOMAIN", "DOMAIN=a/b", "MODULE=#e", "MODULE=example.com:80/a"} {
		require.Error(t, exec.CommandContext(t.Context(), filepath.Join(root(t), "hack/rename.sh"), change).Run(), change)
	}
}
