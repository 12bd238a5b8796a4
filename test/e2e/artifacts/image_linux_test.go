//go:build long

package artifacts

import (
	"bytes"
	"context"
	"crypto/tls"
	"debug/buildinfo"
	"debug/elf"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// user is the user ID of the image.
const user = 65532

func TestImageHoldsAStaticProgramThatRunsAsItsUser(t *testing.T) {
	built := readImage(t, buildImage(t, tree(t), "linux/"+runtime.GOARCH, map[string]string{
		"BUILD_IMAGE": "scratch", "RUN_IMAGE": "scratch", "VERSION": "7.8.9", "GOPROXY": "off", "GOFLAGS": flags(),
	}))
	require.Equal(t, strconv.Itoa(user)+":"+strconv.Itoa(user), built.config.User)
	require.Equal(t, []string{"/flowcontrol-apiserver"}, built.config.Entrypoint)
	require.Empty(t, built.config.Cmd)
	require.Contains(t, built.config.ExposedPorts, "6443/tcp")
	require.Equal(t, "Apache-2.0", built.config.Labels["org.opencontainers.image.licenses"])
	require.Len(t, built.files, 1, "the base image has all else")
	program := built.files["flowcontrol-apiserver"]
	require.EqualValues(t, 0o755, program.mode)
	requireStatic(t, program.content)
	info, err := buildinfo.Read(bytes.NewReader(program.content))
	require.NoError(t, err)
	require.Regexp(t, `-pgo=.*default\.pgo\n`, info.String(), "it is compiled by the profile")

	root := unpack(t, program)
	t.Run("it says the version that it was built with", func(t *testing.T) {
		output, err := inContainer(t, root, "--version").CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Regexp(t, `^flowcontrol-apiserver v7\.8\.9 \(Kubernetes v1\.33\.`, string(output))
	})
	t.Run("it becomes ready, and writes only where it is told", func(t *testing.T) {
		port := harness.FreePorts(t, 1)[0]
		var output bytes.Buffer
		server := inContainer(t, root, "--data-dir=/data/state", "--secure-port="+strconv.Itoa(port))
		server.Stdout, server.Stderr = &output, &output
		require.NoError(t, server.Start())
		running, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			defer cancel()
			ended <- server.Wait()
		}()
		awaitReady(running, t, port)
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		require.NoError(t, <-ended, "%s", &output)

		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		require.Len(t, entries, 2, "the program and the data")
		require.FileExists(t, filepath.Join(root, "data", "state", "admin.kubeconfig"))
	})
}

func tree(t *testing.T) string {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	return root
}

// TestImageOnALaterRelease builds what `make image K8S=0.37` gives to a builder. It takes a minute,
// and more while packages are compiled.
func TestImageOnALaterRelease(t *testing.T) {
	context := t.TempDir()
	builder := filepath.Join(t.TempDir(), "builder")
	require.NoError(t, os.WriteFile(builder, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\ncp -r . "+context+"\n"), 0o755))
	made := exec.CommandContext(t.Context(), "make", "--no-print-directory", "image", "K8S=0.37", "BUILDER="+builder)
	made.Dir = tree(t)
	output, err := made.CombinedOutput()
	require.NoError(t, err, "%s", output)
	_, goFlags, found := strings.Cut(string(output), "--build-arg=GOFLAGS=")
	require.True(t, found, "%s", output)
	goFlags, _, _ = strings.Cut(goFlags, "\n")

	built := readImage(t, buildImage(t, context, "linux/"+runtime.GOARCH, map[string]string{
		"BUILD_IMAGE": "scratch", "RUN_IMAGE": "scratch", "GOPROXY": "off", "GOFLAGS": goFlags + " -pgo=off",
	}))
	said, err := inContainer(t, unpack(t, built.files["flowcontrol-apiserver"]), "--version").CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), " (Kubernetes "+binaries.LatestKubernetesVersion+",")
}

// flags returns the flags of the go command that compile the released server for other tests.
// Others would compile all packages once more.
func flags() string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		return "-trimpath"
	}
	return ""
}

// The compiler runs on this machine's processor, whichever it is. What it compiled for
// another one cannot run here.
func TestImageForAnotherArchitectureHoldsProgramsForIt(t *testing.T) {
	other, machine := "arm64", elf.EM_AARCH64
	if runtime.GOARCH == other {
		other, machine = "amd64", elf.EM_X86_64
	}
	built := readImage(t, buildImage(t, tree(t), "linux/"+other, map[string]string{
		"BUILD_IMAGE": "scratch", "RUN_IMAGE": "scratch", "GOPROXY": "off", "GOFLAGS": flags() + " -pgo=off", // the profile doubles the time
	}))
	require.Equal(t, "linux", built.os)
	require.Equal(t, other, built.architecture)
	require.Len(t, built.files, 2)
	for name, program := range built.files {
		require.Equal(t, machine, requireStatic(t, program.content).Machine, name)
	}
}

// requireStatic returns the program.
func requireStatic(t *testing.T, program []byte) *elf.File {
	t.Helper()
	parsed, err := elf.NewFile(bytes.NewReader(program))
	require.NoError(t, err)
	for _, header := range parsed.Progs {
		require.NotEqual(t, elf.PT_INTERP, header.Type, "it wants an interpreter, which the image has not")
	}
	libraries, err := parsed.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	return parsed
}

// unpack creates the root of a container: the program, which is read-only, and a
// data directory, which its user can write.
func unpack(t *testing.T, program file) string {
	t.Helper()
	root := harness.ShortDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "flowcontrol-apiserver"), program.content, 0o555))
	data := filepath.Join(root, "data")
	require.NoError(t, os.Mkdir(data, 0o700))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(data, user, user))
	}
	require.NoError(t, os.Chmod(root, 0o555))
	t.Cleanup(func() { _ = os.Chmod(root, 0o755) })
	return root
}

// inContainer returns a command that runs the program as a container does: in its
// root, as its user, without privileges on this machine.
func inContainer(t *testing.T, root string, args ...string) *exec.Cmd {
	t.Helper()
	hostUser, hostGroup := os.Getuid(), os.Getgid()
	if hostUser == 0 {
		hostUser, hostGroup = user, user
	}
	cmd := exec.CommandContext(t.Context(), "/flowcontrol-apiserver", args...)
	cmd.Env = []string{"PATH=/"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Chroot:      root,
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: hostUser, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: hostGroup, Size: 1}},
		Credential:  &syscall.Credential{Uid: user, Gid: user, NoSetGroups: true},
		Pdeathsig:   syscall.SIGKILL,
	}
	return cmd
}

// awaitReady waits until the server is ready or has ended.
func awaitReady(running context.Context, t *testing.T, port int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(client.CloseIdleConnections)
	require.Empty(t, eventually.Within(running, func(a *eventually.Attempt) {
		request, err := http.NewRequestWithContext(a.Context(), http.MethodGet, "https://127.0.0.1:"+strconv.Itoa(port)+"/readyz", nil)
		require.NoError(a, err)
		response, err := client.Do(request)
		require.NoError(a, err)
		require.NoError(a, response.Body.Close())
		require.Equal(a, http.StatusOK, response.StatusCode)
	}))
}
