package repo

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// generatedFolder holds generated code. The rules do not apply to it.
const generatedFolder = "pkg/generated/"

// root returns the top of the repository.
func root(t *testing.T) string {
	t.Helper()
	top, err := binaries.Root()
	require.NoError(t, err)
	return top
}

// trackedFiles returns the repository's files, including those not committed
// yet, as slash paths relative to its top.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	list := command(t, root(t), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root(t), filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	require.NotEmpty(t, files)
	return files
}

// goFile is a parsed Go file.
type goFile struct {
	name      string // slash path relative to the top
	folder    string
	generated bool
	imports   map[string]string // names by import path
}

// parseFile parses a file with this slash path, relative to the top.
func parseFile(t *testing.T, name string, content []byte) goFile {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	imports := map[string]string{}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		imports[imported] = path.Base(majorVersion.ReplaceAllString(imported, ""))
		if spec.Name != nil {
			imports[imported] = spec.Name.Name
		}
	}
	return goFile{
		name: name, folder: path.Dir(name), imports: imports,
		generated: strings.HasPrefix(name, generatedFolder) || ast.IsGenerated(syntax),
	}
}

// majorVersion matches the end of an import path that is not part of the
// package's name.
var majorVersion = regexp.MustCompile(`/v\d+$`)

// goFiles parses every Go file of every module of the repository.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, name := range trackedFiles(t) {
		if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		require.NoError(t, err)
		files = append(files, parseFile(t, name, content))
	}
	return files
}

// command runs a program and returns its stdout.
func command(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), &stderr)
	return output
}
