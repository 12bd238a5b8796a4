package artifacts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// TestImagesAreNamedInFull looks at every image in artifacts/, with the chart: a registry,
// so that a runtime does not choose one, and a version or a digest, so that all nodes run
// the same.
func TestImagesAreNamedInFull(t *testing.T) {
	pattern := regexp.MustCompile(`(?m)^[\s-]*"?image"?: *"?([^"\s]+)`)
	images := map[string]bool{}
	require.NoError(t, filepath.WalkDir(folder(t, ""), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Base(path) == "values.schema.json" {
			return err
		}
		content, err := os.ReadFile(path)
		for _, match := range pattern.FindAllStringSubmatch(string(content), -1) {
			if match[1] == "$image" { // of a script, which reads the Deployment's
				continue
			}
			images[match[1]] = true
			assert.NoError(t, namedInFull(match[1]), path)
		}
		return err
	}))
	require.Len(t, images, 2, "of the server and of etcd: one version of each in all files")
}

// TestBaseImagesNameTheirRegistry looks at the Dockerfile.
func TestBaseImagesNameTheirRegistry(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	require.NoError(t, err)
	bases := regexp.MustCompile(`(?m)^ARG \w+_IMAGE=(\S+)$`).FindAllStringSubmatch(string(content), -1)
	require.Len(t, bases, 2)
	for _, base := range bases {
		registry, tag, err := split(base[1])
		require.NoError(t, err)
		assert.Contains(t, registry, ".", base[1])
		assert.NotContains(t, []string{"", "latest"}, tag, base[1])
	}
}

// split returns the registry of an image, and its tag or digest.
func split(image string) (registry, version string, err error) {
	parts := regexp.MustCompile(`^([^/@]+\.[^/@]+)/[^:@]+(?::([^@]+))?(?:@(sha256:[0-9a-f]{64}))?$`).FindStringSubmatch(image)
	if parts == nil {
		return "", "", fmt.Errorf("%s must be REGISTRY/NAME:VERSION or REGISTRY/NAME@sha256:DIGEST", image)
	}
	if parts[3] != "" {
		return parts[1], parts[3], nil
	}
	return parts[1], parts[2], nil
}

// namedInFull returns an error unless the image has a registry, and a version or digest.
func namedInFull(image string) error {
	_, version, err := split(image)
	if err == nil && !regexp.MustCompile(`^(v\d+\.\d+\.\d+|sha256:.+)$`).MatchString(version) {
		return fmt.Errorf("%s must have a version, as v1.2.3, or a digest", image)
	}
	return err
}
