package repo

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A package comment names the package that it is of: it may have been moved.
func TestPackageCommentsNameTheirPackage(t *testing.T) {
	checked := 0
	for _, path := range trackedFiles(t) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), path), nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if words := strings.Fields(file.Doc.Text()); len(words) > 1 && words[0] == "Package" {
			assert.Equal(t, file.Name.Name, words[1], path)
			checked++
		}
	}
	assert.Greater(t, checked, 50)
}
