package repo

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestNoTextReadsLikeATranslation applies a rule of vale to string literals: vale reads only the
// comments of Go files.
func TestNoTextReadsLikeATranslation(t *testing.T) {
	find := translations(t)
	for _, file := range goFiles(t) {
		for _, fault := range find(file) {
			t.Errorf("%s: name the noun, put the subject first: CONTRIBUTING.md, Words", fault)
		}
	}
}

// translations returns a function that finds the patterns of translation in a file's texts.
func translations(t *testing.T) func(goFile) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), "hack", "vale", "Project", "Translation.yml"))
	require.NoError(t, err)
	var rule struct{ Tokens []string }
	require.NoError(t, yaml.Unmarshal(content, &rule))
	require.NotEmpty(t, rule.Tokens)
	pattern := regexp.MustCompile(`(?i)\b(` + strings.Join(rule.Tokens, "|") + `)\b`)
	return func(file goFile) []string { return file.textsWith(pattern) }
}

// textsWith returns the position and the match of each text that the pattern matches.
func (f goFile) textsWith(pattern *regexp.Regexp) (found []string) {
	if f.generated {
		return nil
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if match := pattern.FindString(text); err == nil && match != "" {
			found = append(found, fmt.Sprintf("%s: %q", f.positions.Position(literal.Pos()), match))
		}
		return true
	})
	return found
}

func TestTranslationsAreFoundInTexts(t *testing.T) {
	checkExamples(t, translations(t), []example{
		{"a text", `var s = "its size is ` + `that` + ` of the list"`, 1},
		{"over two lines", "var s = `the queue in\n" + "which it waits`", 1},
		{"a comment, which vale reads", `var s = "" // the queue in` + ` which it waits`, 0},
		{"words that only begin alike", `var s = "that office"`, 0},
	})
}
