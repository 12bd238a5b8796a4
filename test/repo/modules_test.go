package repo

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func TestProgramsOfTheTestsAreOfTheVersionsThatTheTestsSay(t *testing.T) {
	programs := requirements(t, "hack/tools/programs")
	assert.Equal(t, binaries.KubernetesVersion, programs["k8s.io/kubernetes"],
		"test/binaries stamps another version than hack/tools/programs builds")
	for name, version := range requirements(t, ".") {
		if built, ok := programs[name]; ok {
			assert.Equal(t, version, built, "%s: hack/tools/programs must build what the product has, so that it is compiled once", name)
		}
	}
}

func TestLibrariesOfKubernetesAreOfOneRelease(t *testing.T) {
	for _, folder := range []string{".", "pkg/apf", "kubectl-apf"} {
		want := requirements(t, folder)["k8s.io/apiserver"]
		require.NotEmpty(t, want)
		for name, version := range requirements(t, folder) {
			untagged := strings.HasPrefix(version, "v0.0.0-") // is not part of the release
			if strings.HasPrefix(name, "k8s.io/") && strings.HasPrefix(version, "v0.") && !untagged {
				assert.Equal(t, want, version, name)
			}
		}
	}
}

// requirements maps the modules that a go.mod requires to their versions. One that is
// replaced by another version has both: with -trimpath the go command records the version
// that is required, and so compiles the same files once more.
func requirements(t *testing.T, folder string) map[string]string {
	t.Helper()
	type version struct{ Path, Version string }
	var mod struct {
		Require []version
		Replace []struct{ Old, New version }
	}
	output := command(t, filepath.Join(root(t), filepath.FromSlash(folder)), "go", "mod", "edit", "-json")
	require.NoError(t, json.Unmarshal(output, &mod))
	versions := map[string]string{}
	for _, required := range mod.Require {
		versions[required.Path] = required.Version
	}
	for _, replaced := range mod.Replace {
		required, ok := versions[replaced.Old.Path]
		if ok && replaced.New.Path == replaced.Old.Path && replaced.New.Version != required {
			versions[replaced.Old.Path] = required + " => " + replaced.New.Version
		}
	}
	return versions
}
