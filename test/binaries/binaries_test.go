package binaries

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRootIsTheProductsModuleAlsoFromAModuleBelow(t *testing.T) {
	root, err := Root()
	require.NoError(t, err)
	t.Chdir(filepath.Join(root, "hack", "tools", "programs"))
	below, err := Root()
	require.NoError(t, err)
	require.Equal(t, root, below)

	t.Chdir(t.TempDir())
	_, err = Root()
	require.ErrorContains(t, err, "run inside the repository")
}

func TestALockIsForOneHolderAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(path)
	require.NoError(t, err)
	busy, err := tryLock(path)
	require.NoError(t, err)
	require.False(t, busy, "a second holder got the lock")
	unlock()
	free, err := tryLock(path)
	require.NoError(t, err)
	require.True(t, free)
}

func TestProgramIsBuiltOnceForAProcess(t *testing.T) {
	p := program{name: "build", module: ".", pkg: "./test/binaries/build"}
	t.Setenv(prebuiltVariable, "")
	first := cache{bin: t.TempDir(), paths: map[string]string{}}
	path, err := first.get(t.Context(), p)
	require.NoError(t, err)
	require.FileExists(t, path)

	require.NoError(t, os.Remove(path))
	_, err = first.get(t.Context(), p)
	require.NoError(t, err)
	require.NoFileExists(t, path, "asked for again, it was built again")

	second := cache{bin: first.bin, paths: map[string]string{}}
	_, err = second.get(t.Context(), p)
	require.NoError(t, err)
	require.FileExists(t, path, "another process asks the go command again")
}

func TestPrebuiltProgramIsTakenAsItIs(t *testing.T) {
	t.Setenv(prebuiltVariable, "prebuilt")
	p := program{name: "build", module: ".", pkg: "./no/such/package"}
	c := cache{bin: t.TempDir(), paths: map[string]string{}}
	_, err := c.get(t.Context(), p)
	require.ErrorContains(t, err, "run 'make binaries'")

	path := filepath.Join(c.bin, p.name)
	require.NoError(t, os.WriteFile(path, nil, 0o755))
	got, err := c.get(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, path, got)
}

func TestBuildErrorNamesTheProgramTheCommandAndTheCompilersWords(t *testing.T) {
	t.Setenv(prebuiltVariable, "")
	c := cache{bin: t.TempDir(), paths: map[string]string{}}
	_, err := c.get(t.Context(), program{name: "nothing", module: ".", pkg: "./no/such/package"})
	require.ErrorContains(t, err, "building nothing")
	require.ErrorContains(t, err, "go run")
	require.ErrorContains(t, err, "no/such/package")
	require.Empty(t, c.paths, "a failed build is tried again")
}

func TestBuildErrorThatHasNothingToDoWithTheCodeSaysWhatToDo(t *testing.T) {
	require.Contains(t, advice("link: write /x: no space left on device"), "make clean")
	require.Contains(t, advice(`Get "https://example.com/x.zip": dial tcp: lookup example.com: no such host`), "GOPROXY")
	require.Contains(t, advice("module lookup disabled by GOPROXY=off"), "GOPROXY")
	require.Empty(t, advice("x.go:1:2: undefined: y"))
}

func TestModulesThatCannotBeDownloadedAreSaidSo(t *testing.T) {
	t.Setenv(prebuiltVariable, "")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-modcacherw -buildvcs=false")
	t.Setenv("GOMODCACHE", t.TempDir())
	c := cache{bin: t.TempDir(), paths: map[string]string{}}
	_, err := c.get(t.Context(), etcdProgram())
	require.ErrorContains(t, err, "GOPROXY is off")
}

func TestOtherModulesAreBuiltWithoutTheFlagsOfABase(t *testing.T) {
	require.Equal(t, "-trimpath -pgo=off", commonFlags("-trimpath -mod=mod -modfile=a/go.mod -overlay=a/overlay.json -tags=smd6,k8s0.34 -pgo=off"))
	require.Empty(t, commonFlags(""))
}

func TestReleasedServerIsCompiledByTheProfileThatAPlainGoBuildHeeds(t *testing.T) {
	root, err := Root()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "cmd", "flowcontrol-apiserver", "default.pgo"))
	require.Contains(t, runArgs(releaseProgram(), root, nil, ""), "-pgo="+filepath.Join(root, profile))
}
