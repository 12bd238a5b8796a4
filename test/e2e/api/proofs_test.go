package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// TestEverySentenceHasAProof compares cases and sentences with each other, without
// a server.
func TestEverySentenceHasAProof(t *testing.T) {
	proven, seen := map[string]bool{}, map[string]bool{}
	for _, theme := range themes() {
		names := map[string]bool{}
		for _, c := range theme.cases {
			assert.False(t, names[c.name], "%s: two cases are called %q", theme.name, c.name)
			assert.NotEmpty(t, c.proves, "%s: %s proves nothing", theme.name, c.name)
			names[c.name] = true
			for _, id := range c.proves {
				proven[id] = true
			}
		}
	}
	for _, section := range contract() {
		for _, sentence := range section.sentences {
			assert.False(t, seen[sentence.id], "%s stands twice", sentence.id)
			seen[sentence.id] = true
			assert.True(t, proven[sentence.id] || len(sentence.tests) > 0, "nothing proves %s: %s", sentence.id, sentence.text)
		}
	}
	for id := range proven {
		assert.True(t, seen[id], "a case proves %s, which is no sentence", id)
	}
}

// TestProofsElsewhereExist searches the sources for each test that a sentence or a change of a
// release names.
func TestProofsElsewhereExist(t *testing.T) {
	named := map[string]string{}
	for _, section := range contract() {
		for _, sentence := range section.sentences {
			for _, test := range sentence.tests {
				named[test] = sentence.id
			}
		}
	}
	for _, change := range changes() {
		for _, test := range change.shows {
			if isElsewhere(test) {
				named[test] = change.what
			}
		}
	}
	root, err := binaries.Root()
	require.NoError(t, err)
	sources := map[string]source{}
	for test, by := range named {
		folder, name, _ := strings.Cut(test, " ")
		if _, read := sources[folder]; !read {
			sources[folder] = readSource(t, filepath.Join(root, filepath.FromSlash(folder)))
		}
		function, inner, _ := strings.Cut(name, "/")
		assert.True(t, sources[folder].functions[function], "%s names %s, which is not there", by, test)
		assert.True(t, inner == "" || sources[folder].texts[inner], "%s names %s: there is no such case", by, test)
	}
}

// isElsewhere reports whether a name is a folder and a test, not a case.
func isElsewhere(test string) bool { return strings.Contains(test, " Test") }

// source holds the names of the tests of a folder.
type source struct {
	functions, texts map[string]bool
}

func readSource(t *testing.T, folder string) source {
	t.Helper()
	found := source{functions: map[string]bool{}, texts: map[string]bool{}}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				found.functions[node.Name.Name] = true
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
					found.texts[text] = true
				}
			}
			return true
		})
	}
	return found
}
