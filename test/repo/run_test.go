package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// goOfTest stands for the go command: go list names 120 packages, and go build -v names them too and
// writes a program that prints its arguments.
const goOfTest = `#!/bin/bash
case $1 in
list) printf 'example.com/p%d\n' {1..120} ;;
build)
  printf 'example.com/p%d\n' {1..120} >&2
  [[ -z $BROKEN ]] || { echo 'p/a.go:1:1: broken code' >&2; exit 1; }
  for argument; do [[ $last != -o ]] || program=$argument; last=$argument; done
  printf '#!/bin/sh\necho "flags: $*"\n' >"$program" && chmod +x "$program"
  echo "build: $*" >&2 ;;
esac
`

func makeRun(t *testing.T, env ...string) (string, error) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	for _, name := range []string{"Makefile", "hack/run.sh"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(fileText(t, name)), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(goOfTest), 0o755))
	run := exec.CommandContext(t.Context(), "make", "run", "ARGS=--secure-port=7443 --v=2")
	run.Dir = dir
	run.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")), env...)
	output, err := run.CombinedOutput()
	return string(output), err
}

func TestMakeRunCountsPackagesAndPassesFlags(t *testing.T) {
	output, err := makeRun(t)
	require.NoError(t, err, output)
	require.Contains(t, output, "run: compiling 120 packages (minutes the first time)\nrun: 50 of 120 packages\nrun: 100 of 120 packages\n")
	require.Contains(t, output, "run: 120 packages compiled")
	require.Contains(t, output, "build: build -v -toolexec=env GOGC=400 ", "the flags of the tests")
	require.Contains(t, output, "\nflags: --secure-port=7443 --v=2\n")
}

func TestMakeRunShowsWhatTheCompilerSays(t *testing.T) {
	output, err := makeRun(t, "BROKEN=yes")
	require.Error(t, err)
	require.Contains(t, output, "p/a.go:1:1: broken code\n")
	require.NotContains(t, output, "flags: ", "nothing was built that could run")
}
