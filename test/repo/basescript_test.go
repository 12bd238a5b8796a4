package repo

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// baseTree is a small repository with hack/base.sh, a go command that writes down what it is asked,
// and generators that copy.
type baseTree struct{ root, programs string }

func newBaseTree(t *testing.T) baseTree {
	t.Helper()
	tree := baseTree{root: t.TempDir(), programs: t.TempDir()}
	for name, content := range map[string]string{
		"go.mod":                              "module m\n\nrequire (\n\tk8s.io/api v0.33.13\n\tk8s.io/klog/v2 v2.1.0\n\tk8s.io/kms v0.33.13 // indirect\n)\n",
		"go.sum":                              "",
		"pkg/apf/go.mod":                      "module m/pkg/apf\n",
		"pkg/apis/a/zz_generated.deepcopy.go": "package a\n",
		"pkg/generated/listers/l.go":          "package listers\n",
		"pkg/generated/old/o.go":              "package old\n",
		"pkg/server/kubernetesversion.go":     "package server\n\nconst version = \"v1.33.13\"\n",
		"pkg/server/_base/errors36.go":        "//go:build k8s0.36\n\npackage server\n",
		"hack/boilerplate.go.txt":             "",
		"hack/models-schema/main.go":          "package main\n",
		"hack/tools/checks/go.mod":            "module tools\n",
		"hack/update-codegen.sh":              "#!/bin/sh\ncd \"$(dirname \"$0\")/..\" && rm -r pkg/generated/old && echo '// Generated anew.' >>pkg/generated/listers/l.go\n",
		".gitignore":                          ".cache/\n",
		"hack/base.sh":                        fileText(t, "hack/base.sh"),
	} {
		tree.write(t, name, content)
	}
	// The go command is not under test: this one writes down its arguments, and answers briefly.
	program := "#!/bin/sh\n" +
		"case \"$*\" in 'env GOVERSION') echo go1.26.8 && exit ;; esac\n" +
		"echo \"$*\" >>" + tree.programs + "/asked\n" +
		"case \"$*\" in\n" +
		"*.GoMod*) echo " + tree.programs + "/apiserver.mod ;;\n" +
		"*.Version*) echo v3.7.1 ;;\n" +
		"get*) [ ! -e " + tree.programs + "/failure ] || { cat " + tree.programs + "/failure >&2; exit 1; } ;;\n" +
		"esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(tree.programs, "go"), []byte(program), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(tree.programs, "apiserver.mod"), []byte("require (\n\tsigs.k8s.io/structured-merge-diff/v6 v6.3.0\n)\n"), 0o600))
	command(t, tree.root, "git", "init", "-q")
	return tree
}

func (b baseTree) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(b.root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
}

// run returns what hack/base.sh prints, and what the go command was asked meanwhile.
func (b baseTree) run(t *testing.T, release string) (stdout, stderr string, asked []string) {
	t.Helper()
	log := filepath.Join(b.programs, "asked")
	require.NoError(t, os.WriteFile(log, nil, 0o600))
	cmd := exec.Command(filepath.Join(b.root, "hack", "base.sh"), release)
	cmd.Env = append(os.Environ(), "PATH="+b.programs+":"+os.Getenv("PATH"))
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		require.NotEmpty(t, errors.String(), "the script fails without a word: %s", err)
		require.Empty(t, out.String(), "a script that fails prints flags")
	}
	content, err := os.ReadFile(log)
	require.NoError(t, err)
	return out.String(), errors.String(), strings.Split(strings.TrimSpace(string(content)), "\n")
}

func TestBaseIsMadeAgainWhenItsSourcesChange(t *testing.T) {
	tree := newBaseTree(t)
	const generators, modules = "get k8s.io/code-generator", "list -deps -test ./..."
	for _, c := range []struct {
		name, file    string
		made, overlay bool
	}{
		{"nothing is there yet", "", true, true},
		{"nothing has changed", "", false, false},
		{"a type", "pkg/apis/a/types.go", true, true},
		{"go.mod of the engine", "pkg/apf/go.mod", true, true},
		{"a version of a generator", "hack/tools/checks/go.mod", true, true},
		{"code that is not generated", "pkg/server/server.go", false, false},
		{"one more difference", "pkg/server/_base/errors37.go", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file != "" {
				tree.write(t, c.file, "// "+c.name+".\n")
			}
			flags, stderr, asked := tree.run(t, "0.37.2")
			require.NotEmpty(t, flags, stderr)
			all := strings.Join(asked, "\n")
			assert.Equal(t, c.made, strings.Contains(all, generators), all)
			assert.Equal(t, c.overlay, strings.Contains(all, modules), all)
		})
	}
}

func TestBaseThatCannotBeMadeIsNotTakenForMade(t *testing.T) {
	tree := newBaseTree(t)
	failure := filepath.Join(tree.programs, "failure")
	for message, want := range map[string]string{
		"go: k8s.io/api@v0.37.2 requires go >= 1.27.0 (running go 1.26.8; GOTOOLCHAIN=go1.26.8)": "k8s.io/apiserver 0.37.2 needs Go 1.27.0, and this is go1.26.8: install it, or set GOTOOLCHAIN=go1.27.0",
		"go: k8s.io/api@v0.37.2: 403 Forbidden":                                                  "k8s.io/apiserver 0.37.2 cannot be the base: change what the messages name, or check the network and GOPROXY",
	} {
		require.NoError(t, os.WriteFile(failure, []byte(message+"\n"), 0o600))
		flags, stderr, _ := tree.run(t, "0.37.2")
		assert.Empty(t, flags)
		assert.Contains(t, stderr, message+"\n"+want)
	}
	require.NoError(t, os.Remove(failure))
	flags, stderr, _ := tree.run(t, "0.37.2")
	assert.NotEmpty(t, flags, stderr)
}

func TestBaseOfAnUnknownReleaseIsAnErrorAndOfGoModNothing(t *testing.T) {
	tree := newBaseTree(t)
	for _, unknown := range []string{"0.99", "1.37", "0.37.", "main"} {
		flags, stderr, _ := tree.run(t, unknown)
		assert.Empty(t, flags)
		assert.Regexp(t, `^k8s\.io/apiserver `+unknown+` is not known: name 0\.33, 0\.35, 0\.36, 0\.37(, 0\.\d+)*, or a version, such as 0\.37\.2\n$`, stderr)
	}
	for _, known := range []string{"0.33", "0.33.13"} {
		flags, stderr, asked := tree.run(t, known)
		assert.Empty(t, flags+stderr+strings.Join(asked, ""))
	}
	assert.NoDirExists(t, filepath.Join(tree.root, ".cache"))
}
