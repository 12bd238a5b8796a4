//go:build long

package artifacts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// image is the content of an archive in the OCI layout.
type image struct {
	os, architecture string
	config           imageConfig
	// files are the files of all layers, by path without a leading slash.
	files map[string]file
}

type file struct {
	mode    int64
	content []byte
}

type imageConfig struct {
	User         string
	ExposedPorts map[string]struct{}
	Env          []string
	Entrypoint   []string
	Cmd          []string
	Labels       map[string]string
}

type descriptor struct{ Digest string }

func readImage(t *testing.T, archive string) image {
	t.Helper()
	blobs := readTar(t, open(t, archive))
	blob := func(d descriptor) []byte {
		algorithm, hash, _ := strings.Cut(d.Digest, ":")
		found, ok := blobs[path.Join("blobs", algorithm, hash)]
		require.True(t, ok, d.Digest)
		return found.content
	}
	var index struct{ Manifests []descriptor }
	require.NoError(t, json.Unmarshal(blobs["index.json"].content, &index))
	require.Len(t, index.Manifests, 1)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	require.NoError(t, json.Unmarshal(blob(index.Manifests[0]), &manifest))
	var configuration struct {
		OS, Architecture string
		Config           imageConfig
	}
	require.NoError(t, json.Unmarshal(blob(manifest.Config), &configuration))

	files := map[string]file{}
	for _, layer := range manifest.Layers {
		unzipped, err := gzip.NewReader(bytes.NewReader(blob(layer)))
		require.NoError(t, err)
		maps.Copy(files, readTar(t, unzipped))
	}
	return image{os: configuration.OS, architecture: configuration.Architecture, config: configuration.Config, files: files}
}

func open(t *testing.T, name string) io.Reader {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// readTar returns the files of an archive, without folders.
func readTar(t *testing.T, reader io.Reader) map[string]file {
	t.Helper()
	files := map[string]file{}
	archive := tar.NewReader(reader)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeDir {
			continue
		}
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[path.Clean(header.Name)] = file{mode: header.Mode, content: content}
	}
}
