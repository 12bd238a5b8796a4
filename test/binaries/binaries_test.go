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

func TestOtherModulesAreBuiltWithoutTheFlagsOfABase(t *testing.T) {
	require.Equal(t, "-trimpath -pgo=off", commonFlags("-trimpath -mod=mod -modfile=a/go.mod -overlay=a/overlay.json -tags=smd6,k8s0.34 -pgo=off"))
	require.Empty(t, commonFlags(""))
}
