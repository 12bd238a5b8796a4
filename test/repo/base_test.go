package repo

import (
	"os"
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
// lines.
func TestDifferencesOfReleasesAreFew(t *testing.T) {
	lines := 0
	for _, file := range goFiles(t) {
		if filepath.Base(file.folder) != "_base" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(file.name)))
		require.NoError(t, err)
		lines += len(regexp.MustCompile(`(?m)^\s*[^\s/]`).FindAll(content, -1))
	}
	t.Logf("%d lines of code", lines)
	assert.Positive(t, lines)
	assert.Less(t, lines, mostDifferences)
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
