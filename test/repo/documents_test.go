package repo

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGoInDocumentsIsCodeOfTests holds each block of Go in a document to be consecutive
// lines of a test or an Example, which compile and run.
func TestGoInDocumentsIsCodeOfTests(t *testing.T) {
	var tests []string
	for _, name := range trackedFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, unindented(fileText(t, name)))
		}
	}
	blocks := 0
	for _, name := range trackedFiles(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, block := range goBlocks(fileText(t, name)) {
			blocks++
			if !isPartOfAny(block, tests) {
				t.Errorf("%s: this block of Go is in no test: take it from an Example, or change both:\n%s", name, block)
			}
		}
	}
	require.NotZero(t, blocks)
}

// goBlocks returns the blocks of Go in a document, without indentation.
func goBlocks(document string) (blocks []string) {
	for _, block := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(document, -1) {
		blocks = append(blocks, unindented(block[1]))
	}
	return blocks
}

// unindented returns the lines of a text without the space before them.
func unindented(text string) string {
	return regexp.MustCompile(`(?m)^[\t ]+`).ReplaceAllString(text, "")
}

// isPartOfAny reports whether lines are consecutive lines of one of the files.
func isPartOfAny(lines string, files []string) bool {
	for _, file := range files {
		if strings.Contains("\n"+file, "\n"+lines) {
			return true
		}
	}
	return false
}
