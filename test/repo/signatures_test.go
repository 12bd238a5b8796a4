package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever adopts the engine can name every type that its exported functions, methods, fields and
// variables have: one of an internal package has an alias in a public one.
func TestAdoptersCanNameTheTypesOfTheEngine(t *testing.T) {
	engine := filepath.Join(root(t), "pkg", "apf")
	entries, err := os.ReadDir(filepath.Join(engine, "internal"))
	require.NoError(t, err)
	var internal []string
	for _, entry := range entries {
		internal = append(internal, entry.Name())
	}
	declared, declarations := regexp.MustCompile(`^(const|var|func|type|\t)`), ""
	for path := range strings.Lines(string(command(t, engine, "go", "list", "./..."))) {
		if strings.Contains(path, "/internal/") || strings.Contains(path, "/test/") {
			continue
		}
		for line := range strings.Lines(string(command(t, engine, "go", "doc", "-all", strings.TrimSpace(path)))) {
			if code, _, _ := strings.Cut(line, "//"); declared.MatchString(code) {
				declarations += strings.TrimSpace(code) + "\n"
			}
		}
	}
	require.Contains(t, declarations, "\nfunc New(")
	names := regexp.MustCompile(`\b(`+strings.Join(internal, "|")+`)\.[A-Z]\w*`).FindAllString(declarations, -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Regexp(t, `(?m)^(type |const )?\w+ += `+regexp.QuoteMeta(name)+`$`, declarations, "give the type an alias in a public package, or a name there")
	}
}
