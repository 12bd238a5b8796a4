package binaries

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramOnThePathIsTakenAsItIs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "npm")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	t.Setenv("PATH", dir)
	got, err := Npm(t.Context())
	require.NoError(t, err)
	require.Equal(t, path, got)
}

func TestPackagesThatCannotBeInstalledAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without dpkg-query and apt-get
	_, err := Npm(t.Context())
	require.ErrorContains(t, err, "no npm is on the PATH: install nodejs npm")
}

func TestMissingPackagesAreInstalled(t *testing.T) {
	dir := t.TempDir()
	write := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	}
	write("dpkg-query", `[ "$3" = here ] && echo 'installed 1.2' || exit 1`)
	write("apt-get", `echo "$@" >>`+filepath.Join(dir, "asked"))
	t.Setenv("PATH", dir)
	if os.Geteuid() != 0 {
		require.ErrorContains(t, DebianPackages(t.Context(), "here", "missing"), "install missing: tests do it themselves as root")
		return
	}
	require.NoError(t, DebianPackages(t.Context(), "here", "missing"))
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	require.Equal(t, "update\ninstall --yes --no-install-recommends missing\n", string(asked))
}
