package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func newRelease(t *testing.T) *release {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	return &release{root: root, dir: t.TempDir(), version: "1.2.3", revision: "abc", committed: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (r *release) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(t, err)
	return string(content)
}

func TestKrewManifestNamesEveryArchiveWithItsChecksum(t *testing.T) {
	r := newRelease(t)
	programs := publishedPrograms()
	archives := programs[1].archives()
	for i := range archives {
		archives[i].SHA256 = strings.Repeat(string('a'+rune(i)), 64)
	}
	require.NoError(t, r.writeKrewManifest(archives))

	var written struct {
		Spec struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(r.read(t, "apf.yaml")), &written))
	assert.Equal(t, "v1.2.3", written.Spec.Version)
	require.Len(t, written.Spec.Platforms, 6)
	for i, platform := range written.Spec.Platforms {
		want := archives[i]
		assert.Equal(t, map[string]string{"os": want.OS, "arch": want.Arch}, platform.Selector.MatchLabels)
		assert.True(t, strings.HasSuffix(platform.URI, "/v1.2.3/"+want.Name), platform.URI)
		assert.Equal(t, []string{want.SHA256, want.Program}, []string{platform.SHA256, platform.Bin})
	}
}

func TestServerIsForUnixAndThePlugInForWindowsToo(t *testing.T) {
	var names []string
	programs := publishedPrograms()
	for i := range programs {
		for _, archive := range programs[i].archives() {
			names = append(names, archive.Name)
		}
	}
	require.Equal(t, []string{
		"flowcontrol-apiserver_darwin_amd64.tar.gz", "flowcontrol-apiserver_darwin_arm64.tar.gz",
		"flowcontrol-apiserver_linux_amd64.tar.gz", "flowcontrol-apiserver_linux_arm64.tar.gz",
		"kubectl-apf_darwin_amd64.tar.gz", "kubectl-apf_darwin_arm64.tar.gz",
		"kubectl-apf_linux_amd64.tar.gz", "kubectl-apf_linux_arm64.tar.gz",
		"kubectl-apf_windows_amd64.zip", "kubectl-apf_windows_arm64.zip",
	}, names)
}

func TestSBOMNamesEveryModule(t *testing.T) {
	r := newRelease(t)
	path, err := binaries.Plugin(t.Context())
	require.NoError(t, err)
	program, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, r.writeSBOM(t.Context(), "kubectl-apf", program))
	first := r.read(t, "kubectl-apf.cdx.json")
	require.NoError(t, r.writeSBOM(t.Context(), "kubectl-apf", program))
	require.Equal(t, first, r.read(t, "kubectl-apf.cdx.json"), "reproducible")

	var sbom struct {
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	require.NoError(t, json.Unmarshal([]byte(first), &sbom))
	require.Equal(t, struct{ Name, Version string }{module + "/kubectl-apf", "v1.2.3"}, sbom.Metadata.Component)
	found := map[string]string{}
	for _, component := range sbom.Components {
		found[component.Name] = component.Version
	}
	want := map[string]string{"std": info.GoVersion}
	for _, dependency := range info.Deps {
		want[dependency.Path] = dependency.Version
		if dependency.Replace != nil { // by a folder of this repository
			want[dependency.Path] = "v1.2.3"
		}
	}
	require.Equal(t, want, found)
}

func TestNotesAreTheSectionOfTheRelease(t *testing.T) {
	const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n- a\n\n## 0.2.0 - 2026-12-01\n\n### Fixed\n- b\n\n## 0.1.0\n- c\n"
	notes, err := section(changelog, "0.2.0")
	require.NoError(t, err)
	require.Equal(t, "### Fixed\n- b\n", notes)

	_, err = section(changelog, "0.3.0")
	require.EqualError(t, err, "CHANGELOG.md has no section '## 0.3.0': rename '## Unreleased' to it, and commit")
}

func TestArtifactsNameTheImageOfTheRelease(t *testing.T) {
	r := newRelease(t)
	require.NoError(t, r.writeArtifacts(t.Context()))
	files, err := r.artifacts()
	require.NoError(t, err)
	executable := 0
	for _, f := range files {
		assert.NotContains(t, string(f.content), image+imageTag, f.name)
		if f.mode&0o111 != 0 {
			executable++
			assert.True(t, strings.HasSuffix(f.name, ".sh"), f.name)
		}
	}
	require.NotZero(t, executable)

	require.NoError(t, r.writeManifests(t.Context()))
	for _, overlay := range []string{"own-etcd", "external-etcd", "v1beta3-beside", "flow-control-off"} {
		manifest := r.read(t, "install-"+overlay+".yaml")
		assert.Contains(t, manifest, "image: "+image+"v1.2.3\n")
		assert.NotContains(t, manifest, "kind: APIService\n")
	}

	require.NoError(t, r.writeChart(t.Context()))
	chart := unpackTar(t, r.read(t, "flowcontrol-apiserver-1.2.3.tgz"))
	require.Contains(t, chart["flowcontrol-apiserver/Chart.yaml"], "\nversion: 1.2.3\nappVersion: v1.2.3\n")
	require.Contains(t, chart["flowcontrol-apiserver/values.yaml"], "\nimage: "+image+"v1.2.3\n")
	require.Contains(t, chart["flowcontrol-apiserver/files/own-etcd.yaml"], "image: "+image+"v1.2.3\n")
	require.Contains(t, chart, "flowcontrol-apiserver/templates/objects.yaml")

	require.NoError(t, r.writeChecksums())
	sums := r.read(t, checksumsName)
	require.Equal(t, 6, strings.Count(sums, "\n"))
	require.Contains(t, sums, checksum([]byte(r.read(t, "install-own-etcd.yaml")))+"  install-own-etcd.yaml\n")
}

// unpackTar returns the files of a packed archive by name.
func unpackTar(t *testing.T, packed string) map[string]string {
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

func TestReleasesThatNobodyCouldRepeatAreRejected(t *testing.T) {
	for _, version := range []string{"", "1", "next", "1.2.3;rm"} {
		require.ErrorContains(t, (&release{version: version}).complete(t.Context()), "it must be a version as 0.2.0")
	}

	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		_, err := output(t.Context(), root, "git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
		require.NoError(t, err)
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "--message=first")
	revision, _, changed, err := commit(t.Context(), root)
	require.NoError(t, err)
	require.Len(t, revision, 40)
	require.False(t, changed)
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o600))
	_, _, changed, err = commit(context.Background(), root)
	require.NoError(t, err)
	require.True(t, changed)

	t.Chdir(root)
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+module+"\n"), 0o600))
	whole := &release{version: "1.2.3", dir: "dist"}
	require.ErrorContains(t, whole.complete(t.Context()), "files differ from the commit")
	require.NoDirExists(t, filepath.Join(root, "dist"))
	part := &release{version: "1.2.3", dir: "dist", programs: []string{"kubectl-apf"}}
	require.NoError(t, part.complete(t.Context()))
	require.Equal(t, revision+"-dirty", part.revision)
}
