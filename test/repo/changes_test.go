package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHowToChangeNamesWhatIsThere holds the table "How to change X" of CONTRIBUTING.md to files
// and tests that exist, named in full.
func TestHowToChangeNamesWhatIsThere(t *testing.T) {
	_, table, found := strings.Cut(fileText(t, "CONTRIBUTING.md"), "## How to change X\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	var tests strings.Builder
	for _, name := range trackedFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			tests.WriteString(fileText(t, name))
		}
	}
	files, functions := pathsIn(table), regexp.MustCompile(`Test[A-Z]\w+`).FindAllString(table, -1)
	require.Greater(t, len(files), 30)
	require.Greater(t, len(functions), 20)
	requireFiles(t, files)
	for _, function := range functions {
		if !strings.Contains(tests.String(), "func "+function+"(") {
			t.Errorf("no test is named %s", function)
		}
	}
}

func TestWorkaroundsNameFilesThatExist(t *testing.T) {
	_, table, found := strings.Cut(fileText(t, "docs/design/library-workarounds.md"), "\n|---|")
	require.True(t, found)
	rows, files := strings.Count(table, "\n| "), pathsIn(table)
	require.GreaterOrEqual(t, len(files), rows, "one in each row")
	requireFiles(t, files)
}

func requireFiles(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		_, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(name)))
		assert.NoError(t, err)
	}
}

// TestMovingTheBaseNamesWhatHasTheVersion holds the steps of docs/design/base.md to the files that
// name the release that the server is built on. Versions in tests of the plug-in and in its recorded
// data are of clusters.
func TestMovingTheBaseNamesWhatHasTheVersion(t *testing.T) {
	_, steps, found := strings.Cut(fileText(t, "docs/design/base.md"), "## Moving the base\n")
	require.True(t, found)
	steps, _, _ = strings.Cut(steps, "\n## ")
	release := regexp.MustCompile(`v1\.(\d+\.\d+)"`).FindStringSubmatch(fileText(t, "pkg/server/kubernetesversion.go"))
	require.NotNil(t, release)
	version := regexp.MustCompile(`\b[01]\.` + regexp.QuoteMeta(release[1]) + `\b`)
	unrelated := regexp.MustCompile(`^(docs/evidence|kubectl-apf|pkg/apf)/|(^|/)(go\.(mod|sum)|CHANGELOG\.md)$|^pkg/server/version\.go$`)
	named := 0
	for _, name := range trackedFiles(t) {
		if unrelated.MatchString(name) || !version.MatchString(fileText(t, name)) {
			continue
		}
		named++
		assert.Contains(t, steps, name, "names the release")
	}
	require.Greater(t, named, 5)
}

// pathsIn returns the files and folders that a text names in code, without placeholders in
// capitals, and pages of docs.
func pathsIn(text string) (paths []string) {
	for _, quoted := range regexp.MustCompile("`((?:cmd|kubectl-apf|pkg|test|hack|artifacts)/[^` ]+)`|(docs/[\\w/-]+\\.md)").FindAllStringSubmatch(text, -1) {
		if file := quoted[1] + quoted[2]; !regexp.MustCompile(`[A-Z]{4}`).MatchString(file) {
			paths = append(paths, file)
		}
	}
	return paths
}
