package repo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

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

// fileText returns the text of the file with this slash path, relative to the top.
func fileText(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(content)
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
