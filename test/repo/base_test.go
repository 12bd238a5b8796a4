package repo

import (
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
		for _, fault := range differenceFaults(string(content), path.Join(root(t), file.folder)) {
			t.Errorf("%s: %s", file.name, fault)
		}
	}
	t.Logf("%d lines of code", lines)
	assert.Positive(t, lines)
	assert.Less(t, lines, mostDifferences)
}

// differenceFaults returns what a file of a folder _base lacks. A file that goes with another one
// leaves the rest to that one's comment.
func differenceFaults(content, folder string) (faults []string) {
	if !regexp.MustCompile(`^//go:build (k8s0\.|etcd3|smd)\d+\b`).MatchString(content) {
		faults = append(faults, "it must begin with a build tag of a release: k8s0.N, etcd3N or smdN")
	}
	text := strings.ReplaceAll(content, "\n// ", " ")
	if other := regexp.MustCompile(`\b(goes|moves) with (\w+\.go)\.`).FindStringSubmatch(text); other != nil {
		if _, err := os.Stat(filepath.Join(folder, other[2])); err != nil {
			faults = append(faults, "it goes with a file that is not there: "+other[2])
		}
		return faults
	}
	if !regexp.MustCompile(`\b(k8s\.io 0|etcd 3)\.\d+\b`).MatchString(text) {
		faults = append(faults, "a comment must say what changed, and name the release: k8s.io 0.N or etcd 3.N")
	}
	if !regexp.MustCompile(`\bgo\.mod requires\b`).MatchString(text) {
		faults = append(faults, "a comment must say when it can go: when go.mod requires a release")
	}
	return faults
}

func TestDifferencesWithoutTagOrReasonAreFound(t *testing.T) {
	const tag, text = "//go:build etcd36 && !etcd37\n\npackage p\n\n", "// In etcd 3.6 it has another\n// name. It can go when go.mod\n// requires it.\n"
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "p36.go"), nil, 0o600))
	for content, want := range map[string]int{
		tag + text:                            0,
		tag + "// It goes with p36.go.\n":     0,
		tag + "// It goes with other36.go.\n": 1,
		text:                                  1,
		tag + "// It can go when go.mod requires it.\n":  1,
		tag + "// In k8s.io 0.37 it has another name.\n": 1,
		"//go:build linux\n\npackage p\n":                3,
	} {
		assert.Len(t, differenceFaults(content, folder), want, content)
	}
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
