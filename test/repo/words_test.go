package repo

import (
	"bytes"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leftovers are words of templates, and of work put off. They are put together
// here so that this file does not hold them.
func leftovers() *regexp.Regexp {
	words := []string{"war" + "dle", "flun" + "der", "to" + "do", "fix" + "me", "xx" + "x", "not " + "implemented"}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)`)
}

// places are folders of one machine, and hosts that serve packages: a clone
// must work anywhere, with the registries that its user has configured.
func places() *regexp.Regexp {
	return regexp.MustCompile(`/(root|work|farm|home)/|proxy\.golang|registry\.npmjs|deb\.debian`)
}

func TestNoGoFileHoldsALeftover(t *testing.T) {
	reportLines(t, leftovers(), "a leftover or work put off: do it, or file an issue", func(name string) bool {
		return path.Ext(name) == ".go" && !strings.HasPrefix(name, generatedFolder)
	})
}

func TestNoFileNamesAPlaceOfOneMachine(t *testing.T) {
	reportLines(t, places(), "a folder of one machine or a registry's host: take it from the environment or a flag", func(name string) bool {
		return path.Base(name) != "go.sum"
	})
}

func reportLines(t *testing.T, pattern *regexp.Regexp, why string, wanted func(name string) bool) {
	t.Helper()
	looked := 0
	for _, name := range trackedFiles(t) {
		if !wanted(name) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		require.NoError(t, err)
		if bytes.IndexByte(content, 0) >= 0 { // no text
			continue
		}
		looked++
		for number, line := range bytes.Split(content, []byte("\n")) {
			if found := pattern.Find(line); found != nil {
				t.Errorf("%s:%d: %q: %s", name, number+1, found, why)
			}
		}
	}
	require.NotZero(t, looked)
}

func TestPatternsFindWhatTheyAreFor(t *testing.T) {
	for _, line := range []string{"// TO" + "DO later", "the War" + "dle server", "errors.New(\"not " + "implemented\")"} {
		assert.Regexp(t, leftovers(), line)
	}
	for _, line := range []string{"cd /ro" + "ot/project", "https://proxy." + "golang.org", "-v /ho" + "me/me:/x"} {
		assert.Regexp(t, places(), line)
	}
	for _, line := range []string{"path: /workspace", "docs/framework/x", "a mastodon"} {
		assert.NotRegexp(t, places(), line)
		assert.NotRegexp(t, leftovers(), line)
	}
}

func TestNoTestSleepsOrIsSkipped(t *testing.T) {
	for _, file := range goFiles(t) {
		for pos, fault := range sleepsAndSkips(file) {
			t.Errorf("%s: %s", pos, fault)
		}
	}
}

// sleepsAndSkips maps positions to what is wrong there.
func sleepsAndSkips(file goFile) map[string]string {
	faults := map[string]string{}
	timeName := importName(file.syntax, "time")
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		receiver, _ := selector.X.(*ast.Ident)
		switch name := selector.Sel.Name; {
		case receiver != nil && receiver.Name == timeName && name == "Sleep":
			faults[file.at(node.Pos())] = "sleeping makes a test slow or flaky: wait for what is waited for, with a channel, " +
				"wait.PollUntilContextTimeout or testing/synctest"
		case file.isTest() && receiver != nil && receiver.Name == "t" && (name == "Skip" || name == "Skipf" || name == "SkipNow"):
			faults[file.at(node.Pos())] = "a skipped test proves nothing: make it run everywhere, or delete it"
		}
		return true
	})
	return faults
}

// importName is the name under which a file imports a package, "" if it does not.
func importName(syntax *ast.File, pkg string) string {
	for _, spec := range syntax.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); imported == pkg {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path.Base(pkg)
		}
	}
	return ""
}
