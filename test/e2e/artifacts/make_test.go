package artifacts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func TestMakeImageTakesTheBuilderThatWorks(t *testing.T) {
	const settings = "build --file=Dockerfile --tag=ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:v0.1.0"
	for _, test := range []struct {
		name     string
		builders []string // the installed programs; docker's daemon runs if it is "docker"
		variable string
		want     string
	}{
		{"docker", []string{"docker", "podman", "buildah"}, "", "docker " + settings + " ."},
		{"podman, as docker's daemon is away", []string{"docker-away", "podman", "buildah"}, "", "podman " + settings + " ."},
		{"buildah", []string{"buildah"}, "", "buildah " + settings + " ."},
		{"the one that is named", []string{"docker", "buildah"}, "BUILDER=buildah", "buildah " + settings + " ."},
		{"base images of one's own", []string{"buildah"}, "RUN_IMAGE=mine:1", "buildah " + settings + " --build-arg=RUN_IMAGE=mine:1 ."},
		{"two platforms", []string{"buildah"}, "PLATFORMS=linux/amd64,linux/arm64", "buildah " + settings + " --platform=linux/amd64,linux/arm64 ."},
		{"a name of one's own", []string{"buildah"}, "IMAGE=mine:2", "buildah build --file=Dockerfile --tag=mine:2 ."},
	} {
		t.Run(test.name, func(t *testing.T) {
			output, err := makeImage(t, test.builders, test.variable)
			require.NoError(t, err, output)
			require.Contains(t, strings.Split(output, "\n"), test.want)
		})
	}
}

func TestMakeImageSaysWhatToInstall(t *testing.T) {
	output, err := makeImage(t, []string{"docker-away"}, "")
	require.Error(t, err)
	require.Contains(t, output, "no builder works here: start the docker daemon, or install podman or buildah")
}

// makeImage runs `make image` with only these builders installed. They print their
// arguments.
func makeImage(t *testing.T, builders []string, variable string) (string, error) {
	t.Helper()
	bin := t.TempDir()
	for _, tool := range []string{"make", "bash", "sh", "dirname", "find", "env"} {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
	}
	for _, builder := range builders {
		name, away := strings.CutSuffix(builder, "-away")
		script := "#!/bin/sh\necho " + name + " \"$@\"\n"
		if away {
			script = "#!/bin/sh\nexit 1\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	root, err := binaries.Root()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	args := []string{"--no-print-directory", "image"}
	if variable != "" {
		args = append(args, variable)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "make"), args...)
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + bin}
	output, err := cmd.CombinedOutput()
	return string(output), err
}
