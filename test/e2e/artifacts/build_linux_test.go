//go:build long

package artifacts

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// buildImage builds the image of a tree for a platform, such as linux/arm64, with build arguments,
// and returns it as an archive.
func buildImage(t *testing.T, root, platform string, arguments map[string]string) string {
	t.Helper()
	address := startBuilder(t)
	archive := filepath.Join(t.TempDir(), "image.tar")
	args := []string{"--addr=" + address, "build", "--progress=plain", "--frontend=dockerfile.v0",
		"--local=context=" + root, "--local=dockerfile=" + root, "--output=type=oci,dest=" + archive, "--opt=platform=" + platform}
	for name, value := range arguments {
		args = append(args, "--opt=build-arg:"+name+"="+value)
	}
	buildctl, err := binaries.Buildctl(t.Context())
	require.NoError(t, err)
	// The build compiles packages that are not in Go's cache: for another architecture all.
	ctx, cancel := context.WithTimeout(t.Context(), 6*eventually.Grace)
	defer cancel()
	output, err := exec.CommandContext(ctx, buildctl, args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return archive
}

// startBuilder starts BuildKit in a user namespace and returns its address.
func startBuilder(t *testing.T) string {
	t.Helper()
	buildkitd, err := binaries.Buildkitd(t.Context())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	dir := harness.ShortDir(t)
	address := "unix://" + filepath.Join(dir, "socket")
	var output bytes.Buffer
	daemon := exec.Command(buildkitd, "--addr="+address, "--root="+filepath.Join(dir, "root"), "--rootless",
		"--containerd-worker=false", "--oci-worker=true", "--oci-worker-binary="+self, "--oci-worker-net=host", "--oci-worker-rootless",
		"--oci-worker-no-process-sandbox", "--oci-worker-snapshotter=native")
	daemon.Dir = dir
	daemon.Env = append(os.Environ(), append(goEnvironment(t), runtimeMark+"=yes", "XDG_RUNTIME_DIR="+dir)...)
	daemon.Stdout, daemon.Stderr = &output, &output
	daemon.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	require.NoError(t, daemon.Start(), "a user namespace is needed: see the package comment")
	ended := make(chan struct{})
	go func() { defer close(ended); _ = daemon.Wait() }()
	t.Cleanup(func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("buildkitd:\n%s", &output)
		}
	})
	awaitBuilder(t, address, ended)
	return address
}

func awaitBuilder(t *testing.T, address string, ended <-chan struct{}) {
	t.Helper()
	buildctl, err := binaries.Buildctl(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel() // the builder has ended
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}()
	require.Empty(t, eventually.Within(ctx, func(a *eventually.Attempt) {
		output, err := exec.CommandContext(a.Context(), buildctl, "--addr="+address, "debug", "workers").CombinedOutput()
		require.NoError(a, err, "%s", output)
	}))
}

// goEnvironment returns variables with the paths of Go and its caches for the
// runtime.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	require.NoError(t, err)
	var settings map[string]string
	require.NoError(t, json.Unmarshal(output, &settings))
	env := []string{"PATH=" + filepath.Join(settings["GOROOT"], "bin") + ":" + os.Getenv("PATH")}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	return env
}
