package repo

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostDifferences is the largest number of lines of code for other releases of k8s.io.
const mostDifferences = 400

// TestDifferencesOfReleasesAreFew counts the lines of code below _base, without comments and blank
// lines. Each file says what changed, and when it can go.
func TestDifferencesOfReleasesAreFew(t *testing.T) {
	lines := 0
	for _, file := range goFiles(t) {
		if filepath.Base(file.folder) != "_base" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(file.name)))
		require.NoError(t, err)
		lines += linesOfCode(content)
		assert.Regexp(t, `go\.mod requires|(goes|moves) with`, strings.ReplaceAll(string(content), "\n// ", " "), "%s: when it can go", file.name)
	}
	t.Logf("%d lines of code", lines)
	assert.Positive(t, lines)
	assert.Less(t, lines, mostDifferences)
}

// linesOfCode counts the lines that have a token which is no comment.
func linesOfCode(content []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, 0)
	seen := map[int]bool{}
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return len(seen)
		}
		if kind != token.SEMICOLON || literal == ";" {
			seen[file.Line(pos)] = true
		}
	}
}

func TestLinesOfCodeAreCountedWithoutComments(t *testing.T) {
	assert.Equal(t, 3, linesOfCode([]byte("// Package p is one.\npackage p\n\nvar (\n\t// A comment.\n)\n")))
}

// TestOnePackageKnowsTheMergeLibrary holds structured-merge-diff, whose path changes with the
// release of k8s.io, to one package; generated code is generated anew.
func TestOnePackageKnowsTheMergeLibrary(t *testing.T) {
	var importers []string
	for _, file := range goFiles(t) {
		for imported := range file.imports {
			if strings.HasPrefix(imported, "sigs.k8s.io/structured-merge-diff") && !file.generated {
				importers = append(importers, filepath.ToSlash(filepath.Dir(file.name)))
			}
		}
	}
	slices.Sort(importers)
	assert.Equal(t, []string{"pkg/structuredmerge", "pkg/structuredmerge/_base"}, slices.Compact(importers))
}
