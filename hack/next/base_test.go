package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree returns a folder with files, as far as this program reads a repository.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func TestAReleaseIsComparedWithTheNewestBaseBelowIt(t *testing.T) {
	root := tree(t, map[string]string{
		"hack/base.sh": "case $1 in\n0.33 | 0.33.13) exit ;;\n0.35) release=0.35.10 etcd=3.6.8 ;;\n0.36) release=0.36.6 etcd=3.6.8 ;;\nesac\n",
		"go.mod":       "require (\n\tk8s.io/api v0.33.13\n\tk8s.io/apiserver v0.33.13\n)\n",
	})
	for named, want := range map[string][2]string{
		"0.38.0-alpha.2": {"0.38.0-alpha.2", "0.36.6"},
		"0.36":           {"0.36.6", "0.35.10"},
		"0.36.9":         {"0.36.9", "0.35.10"},
		"0.34.1":         {"0.34.1", "0.33.13"},
	} {
		release, previous, err := findBases(root, named)
		require.NoError(t, err, named)
		assert.Equal(t, want, [2]string{release.version, previous.version}, named)
	}
	for named, want := range map[string]string{
		"":       `"" is no release of k8s.io`,
		"0.38":   `"0.38" is no release of k8s.io: name a version, such as 0.38.0-alpha.2`,
		"1.38.0": `"1.38.0" is no release`,
		"0.33":   "no base before 0.33.13 is known",
	} {
		_, _, err := findBases(root, named)
		assert.ErrorContains(t, err, want, named)
	}
}

// TestBasesOfTheRepositoryAreKnown fails if hack/base.sh writes its rows in another way.
func TestBasesOfTheRepositoryAreKnown(t *testing.T) {
	known, err := knownBases("../..")
	require.NoError(t, err)
	assert.Contains(t, known, "0.33")
	assert.Contains(t, known, "0.37")
}

func TestGoIsChosenByWhatTheReleaseRequires(t *testing.T) {
	gomod := []byte("module k8s.io/apiserver\n\ngo 1.27.0\n\ngodebug default=go1.27\n")
	for _, c := range []struct{ name, running, choice, want string }{
		{"the same", "go1.27.0", "local", ""},
		{"a later one", "go1.28.1", "local", ""},
		{"an earlier one, which may download", "go1.26.8", "auto", "go1.27.0"},
		{"an earlier one, which may download from its own", "go1.26.8", "go1.26.8+auto", "go1.27.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := toolchain(gomod, c.running, c.choice)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	_, err := toolchain(gomod, "go1.26.8", "local")
	require.EqualError(t, err, "go1.27.0 is needed, go1.26.8 is running, and GOTOOLCHAIN=local does not let the go command download another: "+
		"install go1.27.0, or repeat with GOTOOLCHAIN=auto in the environment")
}
