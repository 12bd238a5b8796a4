package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMachineThatLacksSomethingIsToldWhatToDo(t *testing.T) {
	tools := []string{"awk", "bash", "cat", "cc", "df", "dirname", "gcc", "git", "go", "head"}
	for _, test := range []struct {
		name, without string
		scripts       map[string]string // commands that are replaced here
		env           []string
		says          string
	}{
		{name: "no go", without: "go", says: "Install Go 1.26"},
		{name: "no git", without: "git", says: "Install git"},
		{name: "no C compiler", env: []string{"CC=no-such-compiler"}, says: "Install gcc or clang, or set CC"},
		{name: "a full disk", without: "df", scripts: map[string]string{"df": "echo header; echo disk 9 8 1024 99% /"}, says: "has 1 MB free"},
		{name: "no network", env: []string{"GOPROXY=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + t.TempDir()}, says: "set GOPROXY to a module proxy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bin := t.TempDir()
			for _, tool := range tools {
				if path, err := exec.LookPath(tool); err == nil && tool != test.without {
					require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
				}
			}
			for name, script := range test.scripts {
				require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
			}
			preflight := exec.CommandContext(t.Context(), filepath.Join(bin, "bash"), filepath.Join(root(t), "hack", "preflight.sh"))
			preflight.Env = append(append(os.Environ(), "PATH="+bin), test.env...)
			output, err := preflight.CombinedOutput()
			require.Error(t, err, "%s", output)
			assert.Contains(t, string(output), test.says)
			assert.Contains(t, string(output), "This machine cannot run the tests: ")
		})
	}
}
