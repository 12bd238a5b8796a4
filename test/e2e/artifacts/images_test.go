package artifacts

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
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
			assert.Regexp(t, `^[^/@]+\.[^/@]+/[^:@]+(:v\d+\.\d+\.\d+|@sha256:[0-9a-f]{64})$`, match[1], path)
		}
		return err
	}))
	require.Len(t, images, 2, "of the server and of etcd: one version of each in all files")
}

// TestBaseImagesNameTheirRegistry looks at the Dockerfile.
func TestBaseImagesNameTheirRegistry(t *testing.T) {
	content, err := os.ReadFile(harness.Path(t, "Dockerfile"))
	require.NoError(t, err)
	bases := regexp.MustCompile(`(?m)^ARG \w+_IMAGE=(\S+)$`).FindAllStringSubmatch(string(content), -1)
	require.Len(t, bases, 2)
	for _, base := range bases {
		assert.Regexp(t, `^[^/@]+\.[^/@]+/[^:@]+:[^@]+(@sha256:[0-9a-f]{64})?$`, base[1], "hack/publish.sh prepare adds the digest")
		assert.NotRegexp(t, `:latest$`, base[1])
	}
}
