package repo

import (
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mostDifferences is the largest number of lines of code for other releases of k8s.io.
const mostDifferences = 400

// TestDifferencesOfReleasesAreFew counts the lines of code below _base, without comments and blank
// lines.
func TestDifferencesOfReleasesAreFew(t *testing.T) {
	lines := 0
	for _, name := range trackedFiles(t) {
		if path.Ext(name) == ".go" && path.Base(path.Dir(name)) == "_base" {
			lines += len(regexp.MustCompile(`(?m)^\s*[^\s/]`).FindAllString(fileText(t, name), -1))
		}
	}
	t.Logf("%d lines of code", lines)
	assert.Positive(t, lines)
	assert.Less(t, lines, mostDifferences)
}
