//go:build long

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFaultsAreFoundByTheTestsOfASmallProduct tries each fault of a module with
// one package that has tests and one package that uses it.
func TestFaultsAreFoundByTheTestsOfASmallProduct(t *testing.T) {
	root := t.TempDir()
	for path, content := range map[string]string{
		"go.mod":          "module " + modulePath + "\n\ngo 1.25\n",
		"pkg/a/a.go":      "package a\n\nfunc Larger(x, y int) bool { return x > y }\n\nfunc Sum(x, y int) int { return x + y }\n\nfunc Same(x, y string) bool { return x+y == y+x }\n",
		"pkg/a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestLarger(t *testing.T) {\n\tt.Run(\"than less\", func(t *testing.T) {\n\t\tif Larger(1, 1) {\n\t\t\tt.Fatal()\n\t\t}\n\t})\n}\n",
		"pkg/b/b_test.go": "package b\n\nimport (\n\t\"testing\"\n\n\t\"" + modulePath + "/pkg/a\"\n)\n\nfunc TestSum(t *testing.T) {\n\tif a.Sum(1, 1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
		"cmd/x/main.go":   "package main\n\nfunc main() {}\n",
		"pkg/b/b.go":      "package b\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(content), 0o600))
	}
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "--quiet", root).Run())
	tree, err := loadTree(t.Context(), root)
	require.NoError(t, err)
	mutants, err := findMutants(tree)
	require.NoError(t, err)
	scratch, err := newScratch(t.Context(), root, false)
	require.NoError(t, err)
	defer scratch.remove()
	runner := &trialRunner{tree: tree, scratch: scratch, options: options{unit: true, timeout: time.Hour}}
	got := map[string]string{}
	for _, m := range mutants[tree.packages[modulePath+"/pkg/a"]] {
		r, err := runner.try(t.Context(), m)
		require.NoError(t, err)
		got[m.function+": "+m.replacement] = r.Outcome + " " + r.Test
	}
	require.Equal(t, map[string]string{
		"Larger: >=": "found pkg/a TestLarger/than less",
		"Sum: -":     "found pkg/b TestSum",
		"Same: !=":   "not found ",
		"Same: -":    "does not compile ",
	}, got)
	restored, err := os.ReadFile(filepath.Join(scratch.dir, "pkg/a/a.go"))
	require.NoError(t, err)
	require.Contains(t, string(restored), "x > y")
}
