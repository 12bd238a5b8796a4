package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func files() []file {
	return []file{{"kubectl-apf", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("license")}}
}

func TestArchivesHoldTheFilesAndAreReproducible(t *testing.T) {
	for name, pack := range map[string]func([]file) ([]byte, error){"tar": packTar, "zip": packZip} {
		first, err := pack(files())
		require.NoError(t, err, name)
		second, err := pack(files())
		require.NoError(t, err, name)
		require.Equal(t, first, second, name)
	}

	packed, err := packTar(files())
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	in := tar.NewReader(unzipped)
	for _, want := range files() {
		header, err := in.Next()
		require.NoError(t, err)
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		assert.Equal(t, want, file{header.Name, fs.FileMode(header.Mode), content})
	}
	_, err = in.Next()
	require.ErrorIs(t, err, io.EOF)

	packed, err = packZip(files())
	require.NoError(t, err)
	zipped, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	for i, want := range files() {
		opened, err := zipped.File[i].Open()
		require.NoError(t, err)
		content, err := io.ReadAll(opened)
		require.NoError(t, err)
		assert.Equal(t, want, file{zipped.File[i].Name, zipped.File[i].Mode(), content})
	}
}

func TestManifestNamesEveryArchiveWithItsChecksum(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	dir := t.TempDir()
	archives := platforms()
	for i := range archives {
		archives[i].SHA256 = strings.Repeat(string('a'+rune(i)), 64)
	}
	require.NoError(t, writeTexts(root, dir, "1.2.3", archives))

	var written struct {
		Spec struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "apf.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &written))
	assert.Equal(t, "v1.2.3", written.Spec.Version)
	require.Len(t, written.Spec.Platforms, 6)
	for i, platform := range written.Spec.Platforms {
		want := archives[i]
		assert.Equal(t, map[string]string{"os": want.OS, "arch": want.Arch}, platform.Selector.MatchLabels)
		assert.True(t, strings.HasSuffix(platform.URI, "/v1.2.3/"+want.Name), platform.URI)
		assert.Equal(t, []string{want.SHA256, want.Program}, []string{platform.SHA256, platform.Bin})
	}
	sums, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(string(sums), "\n"))
	assert.Contains(t, string(sums), strings.Repeat("c", 64)+"  kubectl-apf_linux_amd64.tar.gz\n")
}
