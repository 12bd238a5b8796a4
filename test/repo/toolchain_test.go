package repo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The patch of Go in go.mod is the one with which CI tests, and with which releases and the image
// are built. Modules that compile the same packages name it too, so that these are compiled once.
func TestOnePatchOfGoBuildsWhatIsShipped(t *testing.T) {
	want := toolchain(t, ".")
	require.Regexp(t, `^go1\.\d+\.\d+$`, want, "go.mod has no toolchain line")
	for _, folder := range []string{"kubectl-apf", "hack/lab", "hack/tools/programs", "test/parity"} {
		assert.Equal(t, want, toolchain(t, folder), "%s/go.mod: run 'go mod edit -toolchain=%s' there", folder, want)
	}
	assert.Regexp(t, `(?m)^ARG BUILD_IMAGE=docker\.io/library/golang:`+regexp.QuoteMeta(strings.TrimPrefix(want, "go"))+`(@sha256:[0-9a-f]{64})?$`, fileText(t, "Dockerfile"))

	workflows, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, workflows)
	for _, path := range workflows {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		// From its version 6 on, the action takes the toolchain line.
		setups := strings.Count(string(content), "actions/setup-go@")
		assert.Len(t, regexp.MustCompile(`actions/setup-go@[0-9a-f]{40} # v([6-9]|\d\d)\.`).FindAll(content, -1), setups, path)
		assert.Equal(t, setups, strings.Count(string(content), "go-version-file: go.mod"), path)
		assert.NotContains(t, string(content), "go-version:", path)
	}
	// A release, and each part of it alone, is made with it, after the search for vulnerabilities.
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho \"built with $GOTOOLCHAIN\" >&2\nexit 1\n"), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GOTOOLCHAIN", "local")
	_, output, err := release(t, "1.2.3", "plugin")
	require.Error(t, err)
	assert.Equal(t, "built with "+want+"\n", output)
	assert.Regexp(t, `(?m)^release:.* vuln`, fileText(t, "Makefile"))
}

// toolchain returns the toolchain line of a module.
func toolchain(t *testing.T, folder string) string {
	t.Helper()
	var mod struct{ Toolchain string }
	require.NoError(t, json.Unmarshal(command(t, filepath.Join(root(t), filepath.FromSlash(folder)), "go", "mod", "edit", "-json"), &mod))
	return mod.Toolchain
}
