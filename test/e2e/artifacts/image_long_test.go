//go:build long

package artifacts

import (
	"debug/buildinfo"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// buildAsDockerfile runs the Dockerfile's command on what it copies of a context, for an architecture,
// with this machine's Go and its caches. It returns the path of the program.
func buildAsDockerfile(t *testing.T, context, architecture string, env ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(context, "Dockerfile"))
	require.NoError(t, err)
	dockerfile := strings.ReplaceAll(string(content), "\\\n", " ")
	source := t.TempDir()
	copied := regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(dockerfile, -1)
	require.NotEmpty(t, copied)
	for _, files := range copied {
		output, err := exec.CommandContext(t.Context(), "sh", "-c", "cd '"+context+"' && cp -r "+files[1]+" "+source).CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	output, err := exec.CommandContext(t.Context(), "find", source, "-name", "*_test.go", "-delete").CombinedOutput() // as .dockerignore says
	require.NoError(t, err, "%s", output)

	command := regexp.MustCompile(`(?m)^RUN (?:--mount=\S+ +)?(.*)$`).FindAllStringSubmatch(dockerfile, -1)
	require.Len(t, command, 1)
	require.Contains(t, dockerfile, "\nENV CGO_ENABLED=0 ")
	const out = "/out/flowcontrol-apiserver"
	program := filepath.Join(source, "out")
	build := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(command[0][1], out, program, 1))
	build.Dir = source
	build.Env = append(os.Environ(), append([]string{"GOOS=linux", "GOARCH=" + architecture, "CGO_ENABLED=0", "GOFLAGS=-trimpath"}, env...)...)
	output, err = build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, dockerfile, "\nCOPY --from=build "+out+" /flowcontrol-apiserver\n")
	require.Contains(t, dockerfile, "\nUSER 65532:65532\n")
	require.Contains(t, dockerfile, "\nENTRYPOINT [\"/flowcontrol-apiserver\"]\n")
	return program
}

func requireStatic(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	program, err := elf.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, program.Close()) }()
	require.Equal(t, machine, program.Machine)
	for _, header := range program.Progs {
		require.NotEqual(t, elf.PT_INTERP, header.Type, "it wants an interpreter, which the image has not")
	}
}

func requireSays(t *testing.T, program, version string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, "--version").CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Regexp(t, version, string(output))
}

// TestImageHoldsAStaticProgram compiles for both architectures what the Dockerfile names. The compiler
// of this machine makes both, as the builder's does.
func TestImageHoldsAStaticProgram(t *testing.T) {
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		program := buildAsDockerfile(t, harness.Path(t, ""), architecture, "VERSION=7.8.9")
		requireStatic(t, program, machine)
		info, err := buildinfo.ReadFile(program)
		require.NoError(t, err)
		require.Regexp(t, `-pgo=.*default\.pgo\n`, info.String(), "it is compiled by the profile")
		if architecture == runtime.GOARCH {
			requireSays(t, program, `^flowcontrol-apiserver v7\.8\.9 \(Kubernetes v1\.33\.`)
		}
	}
}

// TestImageOnALaterRelease builds what `make image K8S=0.37` gives to a builder.
func TestImageOnALaterRelease(t *testing.T) {
	context, builder := t.TempDir(), filepath.Join(t.TempDir(), "builder")
	require.NoError(t, os.WriteFile(builder, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\ncp -r . "+context+"\n"), 0o755))
	made := exec.CommandContext(t.Context(), "make", "--no-print-directory", "image", "K8S=0.37", "BUILDER="+builder)
	made.Dir = harness.Path(t, "")
	output, err := made.CombinedOutput()
	require.NoError(t, err, "%s", output)
	_, goFlags, found := strings.Cut(string(output), "--build-arg=GOFLAGS=")
	require.True(t, found, "%s", output)
	goFlags, _, _ = strings.Cut(goFlags, "\n")
	requireSays(t, buildAsDockerfile(t, context, runtime.GOARCH, "GOFLAGS="+goFlags+" -pgo=off"), regexp.QuoteMeta("(Kubernetes "+binaries.LatestKubernetesVersion))
}
