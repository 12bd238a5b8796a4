package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
