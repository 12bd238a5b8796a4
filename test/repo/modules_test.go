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

func TestToolModulesPinWhatTheTestsSayTheyRun(t *testing.T) {
	product, kubernetes, etcd := requirements(t, "."), requirements(t, "hack/tools/kubernetes"), requirements(t, "hack/tools/etcd")
	assert.Equal(t, binaries.KubernetesVersion, kubernetes["k8s.io/kubernetes"],
		"test/binaries stamps another version than hack/tools/kubernetes builds")
	assert.Equal(t, product["go.etcd.io/etcd/server/v3"], etcd["go.etcd.io/etcd/server/v3"],
		"the etcd that is compared with must be the one that is embedded")
}

func TestLibrariesOfKubernetesAreOfOneRelease(t *testing.T) {
	product := requirements(t, ".")
	want := product["k8s.io/apiserver"]
	require.NotEmpty(t, want)
	for name, version := range product {
		untagged := strings.HasPrefix(version, "v0.0.0-") // is no part of the release
		if strings.HasPrefix(name, "k8s.io/") && strings.HasPrefix(version, "v0.") && !untagged {
			assert.Equal(t, want, version, name)
		}
	}
}

// requirements maps the modules that a go.mod requires to their versions.
func requirements(t *testing.T, folder string) map[string]string {
	t.Helper()
	var mod struct {
		Require []struct{ Path, Version string }
	}
	output := command(t, filepath.Join(root(t), filepath.FromSlash(folder)), "go", "mod", "edit", "-json")
	require.NoError(t, json.Unmarshal(output, &mod))
	versions := map[string]string{}
	for _, required := range mod.Require {
		versions[required.Path] = required.Version
	}
	return versions
}
