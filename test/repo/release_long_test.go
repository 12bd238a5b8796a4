//go:build long

package repo

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestAReleaseNamesItselfEverywhere builds all but the server, which is built and packed as the
// plug-in is. It takes ten seconds if the packages of the plug-in are compiled.
func TestAReleaseNamesItselfEverywhere(t *testing.T) {
	files, output, err := release(t, "v1.2.3", "plugin", "artifacts")
	require.NoError(t, err, output)

	plugin := filepath.Join(t.TempDir(), "kubectl-apf")
	require.NoError(t, os.WriteFile(plugin, []byte(unpacked(t, files["kubectl-apf_linux_amd64.tar.gz"])["./kubectl-apf"]), 0o755))
	version, err := exec.CommandContext(t.Context(), plugin, "version").CombinedOutput()
	require.NoError(t, err, string(version))
	assert.Contains(t, string(version), "1.2.3")
	assertSBOM(t, files["kubectl-apf.cdx.json"], plugin)
	assertKrew(t, files["apf.yaml"], files["kubectl-apf_linux_amd64.tar.gz"])

	const image = "ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:"
	for _, overlay := range []string{"own-etcd", "external-etcd", "v1beta3-beside", "flow-control-off"} {
		assert.Contains(t, files["install-"+overlay+".yaml"], "image: "+image+"v1.2.3\n")
		assert.NotContains(t, files["install-"+overlay+".yaml"], "kind: APIService\n")
	}
	artifacts := unpacked(t, files["flowcontrol-apiserver-artifacts.tar.gz"])
	assert.Contains(t, artifacts, "artifacts/install.sh")
	for name, content := range artifacts {
		assert.NotContains(t, content, image+"v0.1.0", name)
	}
	chart := unpacked(t, files["flowcontrol-apiserver-1.2.3.tgz"])
	assert.Contains(t, chart["flowcontrol-apiserver/Chart.yaml"], "\nversion: 1.2.3\nappVersion: v1.2.3\n")
	assert.Contains(t, chart["flowcontrol-apiserver/values.yaml"], "\nimage: "+image+"v1.2.3\n")
	assert.Contains(t, chart, "flowcontrol-apiserver/templates/objects.yaml")

	sums := files["checksums.txt"]
	assert.Equal(t, len(files)-1, strings.Count(sums, "\n"))
	for name, content := range files {
		if name != "checksums.txt" {
			assert.Contains(t, sums, checksum(content)+"  "+name+"\n")
		}
	}
	again, output, err := release(t, "1.2.3", "artifacts")
	require.NoError(t, err, output)
	for name, content := range again {
		assert.True(t, name == "checksums.txt" || content == files[name], "%s differs when it is built again", name)
	}
}

func checksum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// assertSBOM compares the modules with what the go command wrote into the program.
func assertSBOM(t *testing.T, text, program string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	type component struct{ Name, Version string }
	var sbom struct {
		Metadata   struct{ Component component }
		Components []component
	}
	require.NoError(t, json.Unmarshal([]byte(text), &sbom))
	require.Equal(t, component{info.Main.Path, "v1.2.3"}, sbom.Metadata.Component)
	want := []component{{"std", info.GoVersion}}
	for _, dependency := range info.Deps {
		c := component{dependency.Path, dependency.Version}
		if dependency.Replace != nil { // by a folder of this repository
			c.Version = "v1.2.3"
		}
		want = append(want, c)
	}
	require.ElementsMatch(t, want, sbom.Components)
}

func assertKrew(t *testing.T, text, archive string) {
	t.Helper()
	type platform struct {
		Selector         struct{ MatchLabels map[string]string }
		URI, SHA256, Bin string
	}
	var manifest struct {
		Spec struct {
			Version   string
			Platforms []platform
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &manifest))
	assert.Equal(t, "v1.2.3", manifest.Spec.Version)
	require.Len(t, manifest.Spec.Platforms, 1)
	built := manifest.Spec.Platforms[0]
	assert.Equal(t, map[string]string{"os": "linux", "arch": "amd64"}, built.Selector.MatchLabels)
	assert.True(t, strings.HasSuffix(built.URI, "/v1.2.3/kubectl-apf_linux_amd64.tar.gz"), built.URI)
	assert.Equal(t, []string{checksum(archive), "kubectl-apf"}, []string{built.SHA256, built.Bin})
}

// unpacked returns the files of a packed archive by name.
func unpacked(t *testing.T, packed string) map[string]string {
	t.Helper()
	unzipped, err := gzip.NewReader(strings.NewReader(packed))
	require.NoError(t, err)
	files := map[string]string{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[header.Name] = string(content)
	}
}
