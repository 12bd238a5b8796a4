package binaries

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRootIsTheProductsModuleAlsoFromAModuleBelow(t *testing.T) {
	root, err := Root()
	require.NoError(t, err)
	t.Chdir(filepath.Join(root, "hack", "tools", "etcd"))
	below, err := Root()
	require.NoError(t, err)
	require.Equal(t, root, below)

	t.Chdir(t.TempDir())
	_, err = Root()
	require.ErrorContains(t, err, "run inside the repository")
}

func TestSecondHolderOfALockWaitsForTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(path)
	require.NoError(t, err)

	acquired := make(chan error, 1)
	go func() {
		unlockSecond, err := lock(path)
		if err == nil {
			unlockSecond()
		}
		acquired <- err
	}()
	select {
	case err := <-acquired:
		t.Fatalf("the second holder did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	unlock()
	require.NoError(t, <-acquired)
}

func TestProgramIsBuiltOnceForAProcess(t *testing.T) {
	p := program{name: "build", module: ".", pkg: "./test/binaries/build"}
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

func TestBuildErrorNamesTheProgramTheCommandAndTheCompilersWords(t *testing.T) {
	c := cache{bin: t.TempDir(), paths: map[string]string{}}
	_, err := c.get(t.Context(), program{name: "nothing", module: ".", pkg: "./no/such/package"})
	require.ErrorContains(t, err, "building nothing")
	require.ErrorContains(t, err, "go build")
	require.ErrorContains(t, err, "no/such/package")
	require.Empty(t, c.paths, "a failed build is tried again")
}
